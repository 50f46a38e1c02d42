# frozen_string_literal: true

require 'test_helper'
require 'json'

# The committed list of the API that the mock offers, held to the mock in both directions. What is listed
# exists in SketchUp 2026 under that name; a method that is not listed may be an invention of ours.
class ApiListTest < Minitest::Test
  LISTED = JSON.parse(File.read(File.join(Headless::ROOT, 'sketchup_api.json'), encoding: 'UTF-8')).freeze
  NAMESPACES = [Sketchup, Geom, UI].freeze
  # Ruby's own, which every object or collection has.
  RUBYS_OWN = [Kernel, Object, BasicObject, Enumerable, Comparable, Headless::GapReporting].freeze

  def test_every_listed_method_responds
    missing = LISTED.fetch('methods').reject { |name, _| method_named(name) }
    assert_empty missing.keys
  end

  def test_every_listed_method_takes_the_arguments_of_the_api
    wrong = LISTED.fetch('methods').filter_map do |name, arguments|
      method = method_named(name)
      next if method.nil? || accepts?(method, arguments)

      "#{name} takes #{counts(method).inspect}, SketchUp's #{arguments.inspect}"
    end
    assert_empty wrong
  end

  def test_every_public_method_of_the_mock_is_listed
    unlisted = offered - LISTED.fetch('methods').keys
    assert_empty unlisted
  end

  def test_every_listed_constant_has_its_value
    wrong = LISTED.fetch('constants').reject { |name, value| Object.const_get(name) == value }
    assert_empty wrong
  end

  def test_no_name_of_the_mock_shows_among_the_api
    shown = api_classes.map(&:name).grep(/Mock|Headless|Fake/)
    assert_empty shown
  end

  private

  # @return [Array<Module>]
  def api_classes
    inner = NAMESPACES.flat_map do |namespace|
      namespace.constants.map { |name| namespace.const_get(name) }
               .select { |one| one.is_a?(Module) && one.name.start_with?("#{namespace.name}::") }
    end
    [Length, SketchupExtension, *inner]
  end

  def offered
    api_classes.flat_map { |one| instance_names(one) + singleton_names(one) } +
      NAMESPACES.flat_map { |one| singleton_names(one) }
  end

  def instance_names(one)
    names = one.public_instance_methods.reject { |name| RUBYS_OWN.include?(owner(one.instance_method(name))) }
    names -= one.superclass.public_instance_methods if one.is_a?(Class)
    own(names).map { |name| "#{one.name}##{name}" }
  end

  def singleton_names(one)
    names = one.singleton_methods(false)
    own(names).map { |name| "#{one.name}.#{name}" }
  end

  def own(names)
    names.reject { |name| name.start_with?('headless_') } - %i[method_missing respond_to_missing?]
  end

  def owner(method)
    written(method).owner
  end

  # The method itself, not the guard before it.
  def written(method)
    method = method.super_method while guard?(method.owner) && method.super_method
    method
  end

  def guard?(owner)
    owner.name.nil? && !owner.singleton_class?
  end

  def method_named(name)
    if name.include?('#')
      one, method = name.split('#', 2)
      one = Object.const_get(one)
      one.instance_method(method) if one.public_method_defined?(method)
    else
      one, _, method = name.rpartition('.')
      one = Object.const_get(one)
      one.method(method) if one.singleton_methods.include?(method.to_sym)
    end
  rescue NameError
    nil
  end

  # @return [Array(Integer, Integer)] fewest and most positional arguments; nil for any number
  def counts(method)
    kinds = written(method).parameters.map(&:first)
    fewest = kinds.count(:req)
    [fewest, kinds.include?(:rest) ? nil : fewest + kinds.count(:opt)]
  end

  # Whatever SketchUp takes, the mock takes.
  def accepts?(method, (fewest, most))
    mock_fewest, mock_most = counts(method)
    mock_fewest <= fewest && (mock_most.nil? || (!most.nil? && mock_most >= most))
  end
end
