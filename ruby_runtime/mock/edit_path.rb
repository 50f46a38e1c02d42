# frozen_string_literal: true

module Headless
  # What is open for editing in a model.
  module EditPath
    # @return [Sketchup::Entities] of the component that is open, else of the model
    def active_entities
      path = headless_edit_path
      path.empty? ? entities : path.last.headless_definition.headless_entities
    end

    # @return [Array<Sketchup::Entity>, nil]
    def active_path
      path = headless_edit_path
      path.dup unless path.empty?
    end

    # Opens a component; nil closes all. In an operation this ends the undo step and begins one that is
    # chained to it.
    # @param path [Sketchup::InstancePath, Array<Sketchup::Entity>, nil]
    # @raise [ArgumentError] unless each lies in the one before, beginning in the model
    def active_path=(path)
      path = path.to_a
      headless_check_path(path)
      before = headless_edit_path
      return if before == path

      headless_journal.split
      @edit_path = path.dup.freeze
      headless_tell_path(before, path)
    end

    # @return [Boolean] whether something was open
    def close_active
      return false if headless_edit_path.empty?

      self.active_path = headless_edit_path[0...-1]
      true
    end

    # @return [Geom::Transformation] from the coordinates of what is open to those of the model
    def edit_transform
      Coordinates.transformation(PathRules.matrix(headless_edit_path).dup)
    end

    # @return [Array<Sketchup::Entity>] empty when nothing is open
    def headless_edit_path
      @edit_path = [].freeze if @edit_path.nil? || @edit_path.any?(&:deleted?)
      @edit_path
    end

    # @param owner [Sketchup::Entities]
    # @return [Array<Float>, nil] to world coordinates, for the contents of what is open
    def headless_edit_matrix(owner)
      return nil if @edit_path.nil? || @edit_path.empty?
      return nil unless active_entities.equal?(owner)

      PathRules.matrix(headless_edit_path)
    end

    private

    def headless_check_path(path)
      return if path.empty?

      PathRules.check(path)
      raise ArgumentError, 'a path begins in the model' unless path.first.parent.equal?(self)
      raise ArgumentError, 'only groups and components can be opened' unless path.last.is_a?(Placed)
    end

    def headless_tell_path(before, after)
      (before - after).reverse_each { |instance| Observers.notify(instance, :onClose, instance) }
      (after - before).each { |instance| Observers.notify(instance, :onOpen, instance) }
      Observers.notify(self, :onActivePathChanged, self)
    end
  end
end
