# frozen_string_literal: true

require 'test_helper'

class ArgumentsTest < Minitest::Test
  Arguments = Vcad::Bridge::Arguments

  def test_values_of_the_right_kind_pass
    given = arguments('name' => 'x', 'count' => 3, 'id' => '42', 'size' => 1, 'on' => false,
                      'at' => [1, 2.5, -3], 'ids' => [1, 2], 'names' => ['a'], 'mode' => 'b',
                      'more' => { 'k' => 1 })
    assert_equal ['x', 3, 42, 1.0, false, [1.0, 2.5, -3.0], [1, 2], ['a'], 'b', { 'k' => 1 }],
                 [given.string('name'), given.integer('count'), given.integer('id', digits: true),
                  given.number('size'), given.boolean('on'), given.numbers('at', 3), given.integers('ids'),
                  given.strings('names'), given.one_of('mode', %w[a b]), given.hash('more')]
  end

  def test_absent_and_null_take_the_default_or_are_required
    assert_equal 7, arguments({}).integer('n', default: 7)
    assert_equal 7, arguments('n' => nil).integer('n', default: 7)
    refused('n', arguments('n' => nil)) { |given| given.integer('n') }
    refused('b', arguments('a' => 1)) { |given| given.required!('a', 'b') }
  end

  def test_values_of_the_wrong_kind_name_their_place
    refused('n', arguments('n' => '3')) { |given| given.integer('n') }
    refused('n', arguments('n' => 17)) { |given| given.integer('n', range: 1..16) }
    refused('n', arguments('n' => true)) { |given| given.number('n') }
    refused('n', arguments('n' => [1, 2])) { |given| given.numbers('n', 3) }
    refused('n', arguments('n' => [1, '2', 3])) { |given| given.numbers('n', 3) }
    refused('n', arguments('n' => 'a b')) { |given| given.string('n', pattern: /\A\w+\z/) }
    refused('n', arguments('n' => 'abc')) { |given| given.string('n', max: 2) }
    refused('n', arguments('n' => 'no')) { |given| given.boolean('n') }
    refused('n', arguments('n' => 'c')) { |given| given.one_of('n', %w[a b]) }
  end

  def test_nested_values_keep_their_way
    outer = Arguments.new({ 'camera' => { 'fov' => 'wide' } }, prefix: 'shots[2]')
    refused('shots[2].camera.fov', outer) { |given| given.nested('camera').number('fov') }
    refused('shots[2]', nil) { Arguments.new(5, prefix: 'shots[2]') }
  end

  private

  def arguments(values)
    Arguments.new(values)
  end

  def refused(path, given)
    failure = assert_raises(Vcad::Bridge::Failure) { yield given }
    assert_equal ['INVALID_PARAMS', path], [failure.error_code, failure.details['path']]
    assert failure.details['expected']
  end
end
