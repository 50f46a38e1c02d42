# frozen_string_literal: true

require 'test_helper'

class EvaluationToolsTest < BridgeTest
  def setup
    super
    quiet_console
    @stored = StoredValues.new('allow_eval' => true)
    @client = greeted(start_runtime(stored: @stored))
  end

  def test_the_value_comes_as_text_and_the_output_beside_it
    result = @client.call('eval_ruby', 'code' => "print 'a'; $stderr.print 'b'; [1, nil]")
    assert_equal [true, '[1, nil]', 'ab'], result.values_at('success', 'result', 'output')
    assert_equal '', @client.call('eval_ruby', 'code' => 'nil')['result']
  end

  def test_locals_vanish_and_constants_stay
    @client.call('eval_ruby',
                 'code' => 'gone = 1; EVALUATION_TEST_KEPT = 2 unless defined?(EVALUATION_TEST_KEPT)')
    assert_equal 'NameError', @client.failure('eval_ruby', 'code' => 'gone')['details']['class']
    assert_equal '2', @client.call('eval_ruby', 'code' => 'EVALUATION_TEST_KEPT')['result']
  end

  def test_output_is_cut_at_64_kibibytes
    result = @client.call('eval_ruby', 'code' => "puts 'ü' * 100_000")
    assert_operator result['output'].bytesize, :<=, 65_536
    assert_operator result['output'].bytesize, :>, 65_500
  end

  def test_an_error_tells_class_place_and_backtrace
    failure = @client.failure('eval_ruby', 'code' => "puts 'x'\nraise ArgumentError, 'bad'")
    assert_equal [-32_000, 'RUBY_ERROR', 'Ruby evaluation error: ArgumentError: bad'],
                 failure.values_at('code', 'error_code', 'message')
    assert_equal ['ArgumentError', '(eval_ruby)', 2, "x\n", 'eval_ruby'],
                 failure['details'].values_at('class', 'file', 'line', 'output', 'operation')
    assert_equal 1, failure['details']['backtrace'].length
  end

  def test_syntax_errors_and_exit_are_failures_of_the_code
    assert_match(/\ARuby syntax error: /, @client.failure('eval_ruby', 'code' => 'def')['message'])
    assert_equal 'SystemExit', @client.failure('eval_ruby', 'code' => 'exit')['details']['class']
    assert_equal 'NotImplementedError',
                 @client.failure('eval_ruby', 'code' => 'raise NotImplementedError')['details']['class']
    assert @client.call('ping')
  end

  def test_a_file_may_begin_with_a_byte_order_mark
    File.binwrite(File.join(workspace, 'script.rb'), "\xEF\xBB\xBF'ü'".b)
    assert_equal 'ü', @client.call('eval_ruby_file', 'file_path' => 'script.rb')['result']
  end

  def test_an_undo_name_makes_one_step_of_it
    code = 'm = Sketchup.active_model; m.layers.add("a"); m.layers.add("b")'
    @client.call('eval_ruby', 'code' => code, 'undo_name' => 'Two tags')
    assert_equal 'Two tags', Sketchup.active_model.headless_journal.undo_names.last
    Sketchup.undo
    assert_equal 1, Sketchup.active_model.layers.length
  end

  def test_an_error_under_an_undo_name_leaves_nothing_behind
    code = 'Sketchup.active_model.layers.add("a"); raise "no"'
    @client.failure('eval_ruby', 'code' => code, 'undo_name' => 'Broken')
    assert_equal 1, Sketchup.active_model.layers.length
    assert_nil Sketchup.active_model.headless_journal.open_operation
  end

  def test_a_file_runs_under_its_own_name
    path = File.join(workspace, 'script.rb')
    File.write(path, "puts __FILE__\n:done")
    result = @client.call('eval_ruby_file', 'file_path' => 'script.rb')
    assert_equal ['done', path, 'script.rb', "#{path}\n"],
                 result.values_at('result', 'file_path', 'file_name', 'output')
    File.write(path, "\n\nfail 'here'")
    details = @client.failure('eval_ruby_file', 'file_path' => path)['details']
    assert_equal [path, 3], details.values_at('file', 'line')
  end

  def test_files_must_exist_and_lie_inside
    assert_equal 'RUBY_FILE_NOT_FOUND',
                 @client.failure('eval_ruby_file', 'file_path' => 'none.rb')['error_code']
    assert_equal 'PATH_NOT_ALLOWED',
                 @client.failure('eval_ruby_file', 'file_path' => '/etc/x.rb')['error_code']
  end

  def test_both_are_refused_while_the_owner_does_not_allow_it
    @stored.write('allow_eval', false)
    %w[eval_ruby eval_ruby_file].each do |tool|
      failure = @client.failure(tool, 'code' => '1', 'file_path' => 'x.rb')
      assert_equal [-32_003, 'EVAL_DISABLED'], failure.values_at('code', 'error_code')
      assert_includes failure['hint'], 'Allow Ruby evaluation'
    end
  end
end
