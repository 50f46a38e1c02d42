# frozen_string_literal: true

require 'test_helper'

# A6 on the real disk.
class LinuxPathPolicyTest < Minitest::Test
  def setup
    @top = File.realpath(Dir.mktmpdir('vcad-paths'))
    @workspace = File.join(@top, 'work')
    @outside = File.join(@top, 'outside')
    [@workspace, @outside, "#{@workspace}-2"].each { |folder| Dir.mkdir(folder) }
    @policy = policy(@workspace)
  end

  def teardown
    FileUtils.rm_rf(@top)
  end

  def test_relative_paths_join_the_workspace
    assert_equal File.join(@workspace, 'a', 'b.dae'), @policy.readable('a/b.dae')
    assert_equal File.join(@workspace, '~', 'b.dae'), @policy.readable('~/b.dae')
  end

  def test_dots_are_taken_out_before_the_comparison
    assert_equal File.join(@workspace, 'b'), @policy.readable('./a/.././b')
    denied '../outside/x', "#{@workspace}/../outside/x", '..', 'a/../../work-2/x'
  end

  def test_a_sibling_with_the_same_beginning_is_another_folder
    denied "#{@workspace}-2/x", "#{@workspace}-2"
  end

  def test_a_new_file_behind_a_linked_folder_is_where_it_really_lands
    File.symlink(@outside, File.join(@workspace, 'link'))
    denied 'link/new.txt', 'link/deep/new.txt', 'link'
  end

  def test_a_link_that_stays_inside_is_fine
    Dir.mkdir(File.join(@workspace, 'real'))
    File.symlink(File.join(@workspace, 'real'), File.join(@workspace, 'link'))
    assert_equal File.join(@workspace, 'real', 'new.txt'), @policy.writable('link/new.txt')
  end

  def test_a_linked_file_is_followed_for_reading_and_refused_for_writing
    File.write(File.join(@outside, 'secret'), 'x')
    File.write(File.join(@workspace, 'own'), 'x')
    File.symlink(File.join(@outside, 'secret'), File.join(@workspace, 'bad'))
    File.symlink(File.join(@workspace, 'own'), File.join(@workspace, 'good'))
    denied 'bad'
    assert_equal File.join(@workspace, 'own'), @policy.readable('good')
    assert_code('PATH_NOT_ALLOWED') { @policy.writable('good') }
  end

  def test_a_dangling_link_is_denied
    File.symlink(File.join(@workspace, 'gone'), File.join(@workspace, 'dangling'))
    denied 'dangling', 'dangling/x'
  end

  def test_a_workspace_behind_a_link_is_compared_by_its_real_place
    File.symlink(@workspace, File.join(@top, 'alias'))
    policy = policy(File.join(@top, 'alias'))
    assert_equal @workspace, policy.workspace
    assert_equal File.join(@workspace, 'x'), policy.readable(File.join(@top, 'alias', 'x'))
    assert_equal File.join(@workspace, 'x'), policy.readable(File.join(@workspace, 'x'))
  end

  def test_what_is_no_path_is_told_as_such
    [nil, 5, '', "a\0b", "a\xFF", 'x' * 4097].each do |path|
      failure = assert_code('INVALID_PARAMS') { @policy.readable(path, argument: 'mesh_path') }
      assert_equal 'mesh_path', failure.details['path']
    end
  end

  def test_the_same_word_in_nfc_and_nfd_names_two_files
    composed = File.join(@workspace, "gr\u00fcn")
    Dir.mkdir(composed)
    policy = policy(composed)
    assert policy.allows?("#{composed}/x")
    refute policy.allows?("#{File.join(@workspace, "gru\u0308n")}/x")
  end

  def test_a_folder_that_is_far_too_wide_confers_nothing
    ['/', Dir.home, File.dirname(Dir.home), 'relative', File.join(@top, 'missing'), nil].each do |root|
      assert_nil policy(root).workspace, root.inspect
      refute policy(root).allows?(File.join(@workspace, 'x'))
    end
    refute policy(nil, roots: ['/']).allows?('/etc/passwd')
  end

  def test_other_roots_count_besides_the_workspace
    assert policy(@workspace, roots: [@outside]).allows?(File.join(@outside, 'x'))
    assert policy(nil, roots: [@outside]).allows?(File.join(@outside, 'x'))
    refute policy(nil, roots: [@outside]).allows?('x')
  end

  def test_a_star_switches_the_policy_off
    policy = policy(nil, roots: ['*'])
    assert_predicate policy, :unrestricted?
    assert policy.allows?('/etc/hostname')
  end

  def test_a_denial_shows_what_was_given_and_not_where_it_leads
    File.symlink(@outside, File.join(@workspace, 'link'))
    failure = assert_code('PATH_NOT_ALLOWED') { @policy.readable('link/x') }
    assert_equal({ 'path' => 'link/x', 'workspace' => @workspace }, failure.details)
    refute_includes failure.message + failure.hint, @outside
  end

  def test_missing_folders_are_made_only_after_the_check
    assert_equal File.join(@workspace, 'a/b/c.png'), @policy.writable('a/b/c.png')
    assert File.directory?(File.join(@workspace, 'a/b'))
    assert_code('PATH_NOT_ALLOWED') { @policy.writable(File.join(@outside, 'a/b.png')) }
    refute File.exist?(File.join(@outside, 'a'))
  end

  def test_a_file_in_the_way_of_a_folder_is_a_denial
    File.write(File.join(@workspace, 'file'), 'x')
    assert_code('PATH_NOT_ALLOWED') { @policy.writable('file/x.png') }
  end

  def test_a_link_that_appears_while_folders_are_made_is_noticed
    outside = @outside
    workspace = @workspace
    disk = Class.new(Vcad::Bridge::Disk) do
      define_method(:make_directory) { |path| File.symlink(outside, path) if path.start_with?(workspace) }
    end
    policy = Vcad::Bridge::PathPolicy.new(workspace: @workspace, disk: disk.new)
    assert_code('PATH_NOT_ALLOWED') { policy.writable('new/x.png') }
  end

  def test_the_workspace_itself_is_a_folder_to_write_into_but_no_file
    assert_equal @workspace, @policy.writable_directory('.')
    assert_equal File.join(@workspace, 'shots'), @policy.writable_directory('shots')
    assert File.directory?(File.join(@workspace, 'shots'))
    assert_code('PATH_NOT_ALLOWED') { @policy.writable('.') }
  end

  private

  def policy(workspace, roots: [])
    Vcad::Bridge::PathPolicy.new(workspace: workspace, roots: roots)
  end

  def denied(*paths)
    paths.each { |path| assert_code('PATH_NOT_ALLOWED', path) { @policy.readable(path) } }
  end

  def assert_code(code, message = nil, &block)
    failure = assert_raises(Vcad::Bridge::Failure, message, &block)
    assert_equal code, failure.error_code, message
    failure
  end
end
