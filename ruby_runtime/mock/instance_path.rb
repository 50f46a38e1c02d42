# frozen_string_literal: true

module Sketchup
  # The way from the model to an entity, through groups and components.
  class InstancePath
    include Enumerable

    # @param path [Array<Sketchup::Entity>] from the outside in
    # @raise [ArgumentError] unless each lies in the one before
    def initialize(path)
      raise TypeError, 'an array of entities is needed' unless path.is_a?(Array)
      raise ArgumentError, 'a path is not empty' if path.empty?

      Headless::PathRules.check(path)
      @path = path.dup.freeze
    end

    # @return [Array<Sketchup::Entity>]
    def to_a
      @path.dup
    end

    def [](index)
      raise IndexError, "no element #{index}" unless index.is_a?(Integer) && @path.size > index

      @path[index]
    end

    def each(&block)
      @path.each(&block)
    end

    def length
      @path.size
    end

    alias size length

    def empty?
      @path.empty?
    end

    def root
      @path.first
    end

    def leaf
      @path.last
    end

    def include?(entity)
      @path.include?(entity)
    end

    def valid?
      @path.all?(&:valid?)
    end

    # @param index [Integer, nil] position up to which the transformations are multiplied
    # @return [Geom::Transformation]
    def transformation(index = nil)
      parts = index ? @path.first(index + 1) : @path
      matrix = Headless::PathRules.matrix(parts)
      Headless::Coordinates.transformation(matrix)
    end

    # @return [String] persistent ids, joined by dots
    def persistent_id_path
      @path.map(&:persistent_id).join('.')
    end

    def ==(other)
      other.is_a?(InstancePath) && other.to_a == @path
    end

    def hash
      @path.map(&:headless_id).hash
    end

    alias eql? ==
  end
end

module Headless
  # What makes a list of entities a path.
  module PathRules
    module_function

    # @raise [ArgumentError]
    def check(path)
      path.each_with_index do |entity, place|
        raise TypeError, 'an array of entities is needed' unless entity.is_a?(Sketchup::Entity)

        Guard.refuse(entity) if entity.deleted?
        last = place == path.size - 1
        unless last || entity.is_a?(Placed)
          raise ArgumentError,
                'only groups and components can hold other entities'
        end
        next if place.zero? || entity.parent.equal?(path[place - 1].headless_definition)

        raise ArgumentError, 'each entity of a path must lie in the one before'
      end
    end

    # @return [Array<Float>] the product of all transformations on the way
    def matrix(path)
      path.grep(Placed).map(&:headless_matrix).inject(TransformationArguments::IDENTITY) do |product, matrix|
        Coordinates.product(product, matrix)
      end
    end
  end
end
