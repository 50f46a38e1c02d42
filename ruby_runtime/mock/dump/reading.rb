# frozen_string_literal: true

module Headless
  module Dump
    # Builds a model from the plain values of a file, through the API as far as it goes.
    class Reading
      def initialize(model, contents)
        @model = model
        @contents = contents
        @layers = {}
        @materials = {}
        @definitions = {}
        @renumbered = []
      end

      # The empty model becomes the file's; persistent ids are the file's.
      def whole
        @keep_ids = true
        @model.headless_journal.step('Open') do
          above_all_ids
          describe
          shared
          fill(@model.entities, @contents['entities'])
          pages
          renumber
        end
      end

      # The file's model becomes a definition of this one.
      # @return [Sketchup::ComponentDefinition]
      def as_definition(name)
        @model.headless_journal.step('Load Component') do
          shared
          @model.definitions.add(name).tap { |made| fill(made.entities, @contents['entities']) }
        end
      end

      private

      # New entities get ids that no row has; they are renumbered at the end.
      def above_all_ids
        ids = all_ids(@contents)
        identities.next_persistent_id = [identities.next_persistent_id, *ids].max + 1
      end

      def all_ids(value)
        case value
        when Hash then [*value['pid'], *all_ids(value.except('attributes', 'options').values)]
        when Array then value.flat_map { |one| all_ids(one) }
        else []
        end
      end

      def identities
        @model.headless_identities
      end

      def describe
        @model.name = @contents['name'] if @contents['name']
        @model.description = @contents['description'] if @contents['description']
        Values.write_attributes(@model, @contents['attributes'])
        @contents['options'].each do |name, values|
          values.each { |key, value| @model.options[name][key] = Values.load(value) }
        end
      end

      # What entities refer to. A definition may use another that stands further down, so all of them are
      # made before any is filled.
      def shared
        @contents['layers'].each { |row| layer(row) }
        @contents['materials'].each { |row| material(row) }
        made = @contents['definitions'].to_h { |row| [definition(row), row['entities']] }
        made.each { |definition, rows| fill(definition.entities, rows) }
      end

      def layer(row)
        made = row['name'] == @model.layers[0].name ? @model.layers[0] : @model.layers.add(row['name'])
        made.visible = false if row['hidden']
        made.page_behavior = row['page_behavior'] if row['page_behavior']
        made.color = Sketchup::Color.new(*row['color']) if row['color']
        @layers[row['name']] = note(made, row)
      end

      def material(row)
        made = (!@keep_ids && @model.materials[row['name']]) || @model.materials.add(row['name'])
        made.color = Sketchup::Color.new(*row['color']) if row['color']
        made.alpha = row['alpha'] if row['alpha']
        @materials[row['name']] = note(made, row)
      end

      def definition(row)
        made = @model.definitions.headless_add(row['name'], group: row['group'] || false)
        made.description = row['description'] if row['description']
        (row['behavior'] || {}).each { |name, value| made.behavior.public_send("#{name}=", value) }
        @definitions[row['pid']] = note(made, row)
      end

      def pages
        @contents['pages'].each { |row| note(@model.pages.add(row['name']), row) }
      end

      def fill(entities, rows)
        draw(entities, rows) if rows['edges']
        (rows['points'] || []).each { |row| dress(entities.add_cpoint(Geom::Point3d.new(*row['at'])), row) }
        (rows['instances'] || []).each { |row| place(entities, row) }
      end

      # The builder makes an edge once and shares it, so edges come first and faces find them.
      def draw(entities, rows)
        at = rows['vertices'].to_h { |row| [row['pid'], Geom::Point3d.new(*row['at'])] }
        entities.build do |builder|
          rows['edges'].each { |row| edge(builder, row, at) }
          (rows['faces'] || []).each { |row| face(builder, row, at) }
          rows['vertices'].each { |row| note(builder.vertex_at(at[row['pid']]), row) }
        end
      end

      def edge(builder, row, at)
        made = builder.add_edge(*row['ends'].map { |id| at.fetch(id) })
        made.soft = true if row['soft']
        made.smooth = true if row['smooth']
        dress(made, row)
      end

      def face(builder, row, at)
        outer, *holes = row['loops'].map { |ids| ids.map { |id| at.fetch(id) } }
        made = builder.add_face(outer, holes: holes)
        made.back_material = @materials.fetch(row['back_material']) if row['back_material']
        dress(made, row)
      end

      def place(entities, row)
        definition = @definitions.fetch(row['definition'])
        transformation = Geom::Transformation.new(row['transformation'])
        add = row['group'] ? :headless_add_group : :add_instance
        made = entities.public_send(add, definition, transformation)
        made.name = row['name'] if row['name']
        dress(made, row)
        made.locked = true if row['locked']
      end

      def dress(element, row)
        element.layer = @layers.fetch(row['layer']) if row['layer']
        element.material = @materials.fetch(row['material']) if row['material']
        element.hidden = true if row['hidden']
        element.casts_shadows = false if row['no_shadow']
        element.receives_shadows = false if row['no_shade']
        note(element, row)
      end

      def note(thing, row)
        Values.write_attributes(thing, row['attributes'])
        @renumbered << [thing, row['pid']] if @keep_ids
        thing
      end

      def renumber
        @renumbered.each { |thing, id| identities.renumber(thing, id) }
        identities.next_persistent_id = [Identities::FIRST_PERSISTENT_ID, *@renumbered.map(&:last)].max + 1
      end
    end
  end
end
