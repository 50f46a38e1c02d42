# frozen_string_literal: true

module Headless
  # What groups and component instances have in common: a definition, put somewhere.
  module Placed
    # Local to the parent; in world coordinates while the parent is being edited, as in SketchUp.
    # @return [Geom::Transformation]
    def transformation
      Coordinates.transformation(headless_shown_matrix.dup)
    end

    # @param transformation [Geom::Transformation, Geom::Point3d, Array]
    def transformation=(transformation)
      return if Locking.refused?(self)

      headless_place(headless_local(headless_matrix_of(transformation)))
    end

    # Applies a transformation to the one there is.
    # @return [Boolean]
    def transform!(transformation)
      return false if Locking.refused?(self)

      matrix = Coordinates.product(headless_matrix_of(transformation), headless_shown_matrix)
      headless_place(headless_local(matrix))
      true
    end

    # Moves there without an undo entry; only an abort takes it back.
    # @return [Boolean]
    def move!(transformation)
      return false if Locking.refused?(self)

      headless_place(headless_local(headless_matrix_of(transformation)), transient: true)
      true
    end

    def name
      @name.dup
    end

    def name=(name)
      raise TypeError, 'name must be a String' unless name.is_a?(String)

      assign(:@name, name.dup.freeze)
    end

    def locked?
      @locked ? true : false
    end

    def locked=(value)
      assign(:@locked, value ? true : nil)
    end

    def guid
      Guids.of('instance', @persistent_id, 0)
    end

    # Whether the geometry encloses a body.
    def manifold?
      Solidity.closed?(@definition.headless_entities)
    end

    # @return [Float] cubic inches, in world size as far as this instance's own scale goes; -1 if no body
    def volume
      return -1.0 unless manifold?

      Solidity.volume(@definition.headless_entities) * Solidity.scale(@matrix)
    end

    def bounds
      Extents.to_box(Extents.of_instance(self))
    end

    # Whether the other has the same geometry.
    def equals?(other)
      other.is_a?(Placed) && other.headless_definition.equal?(@definition)
    end

    # @return [nil] nothing is glued in this model
    def glued_to
      @glued_to
    end

    def glued_to=(face)
      assign(:@glued_to, face)
    end

    # Its contents instead of itself.
    # @return [Array<Sketchup::Entity>, false]
    def explode
      return false if Locking.refused?(self)

      owner = @owner
      headless_journal.step('Explode') do
        Erasing.check(owner, self)
        copies = Regrouping.copy(@definition.headless_entities, owner, @matrix)
        copies.each { |copy| headless_pass_on(copy) }
        Erasing.remove(owner, [self])
        copies
      end
    end

    # Gives it a definition of its own when it shares one.
    # @return its class
    def make_unique
      return self if @definition.headless_instances.size < 2

      headless_journal.step('Make Unique') do
        headless_rebind(@definition.headless_copy)
      end
      self
    end

    def headless_matrix
      @matrix
    end

    def headless_definition
      @definition
    end

    def headless_locked?
      @locked
    end

    def headless_attach
      list = @definition.headless_instances
      @place ? list.insert(@place, self) : list.push(self)
    end

    def headless_detach
      list = @definition.headless_instances
      @place = list.index(self)
      list.delete_at(@place)
    end

    def headless_properties
      super.merge(:@name => @name, :@locked => @locked)
    end

    # Another definition for the same instance; nothing else of it changes.
    def headless_rebind(definition)
      before = @definition
      place = nil
      headless_journal.change(
        undo: lambda do
          definition.headless_instances.pop
          before.headless_instances.insert(place, self)
          @definition = before
        end,
        redo: lambda do
          place = before.headless_instances.index(self)
          before.headless_instances.delete_at(place)
          definition.headless_instances.push(self)
          @definition = definition
          @place = nil
        end,
        events: headless_rebinding_events(before, definition), touching: @owner
      )
    end

    private

    # What has no layer or material of its own was seen with that of what it lay in.
    def headless_pass_on(copy)
      copy.layer = @layer if @layer && copy.layer.headless_default?
      copy.material = @material if @material && copy.material.nil? && !copy.is_a?(Sketchup::Edge)
    end

    def headless_rebinding_events(before, after)
      [[:instance_removed, before, self], [:instance_added, after, self], [:element_modified, @owner, self]]
    end

    def headless_place(matrix, transient: false)
      return if matrix == @matrix

      before = @matrix
      headless_journal.change(
        undo: -> { @matrix = before }, redo: -> { @matrix = matrix },
        events: headless_change_events, touching: @owner, transient: transient
      )
    end

    def headless_matrix_of(transformation)
      unless transformation.is_a?(Geom::Transformation)
        transformation = Geom::Transformation.new(transformation)
      end
      Coordinates.matrix(transformation).dup.freeze
    end

    # While someone edits the parent, the host speaks of its contents in world coordinates.
    def headless_shown_matrix
      edited = @model.headless_edit_matrix(@owner)
      edited ? Coordinates.product(edited, @matrix) : @matrix
    end

    def headless_local(matrix)
      edited = @model.headless_edit_matrix(@owner)
      edited ? Coordinates.product(Inversion.of(edited), matrix) : matrix
    end
  end

  # Identifiers that look random and are not.
  module Guids
    module_function

    # @return [String] the same for the same arguments
    def of(*parts)
      digits = Digest::MD5.hexdigest(parts.join('/'))
      [8, 4, 4, 4, 12].map { |size| digits.slice!(0, size) }.join('-')
    end
  end
end
