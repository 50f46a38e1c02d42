# frozen_string_literal: true

require_relative '../../nodes/catalog'

module Vcad
  module Bridge
    module Tools
      module General
        # What the document as a whole is like: its facts, layers, materials and camera.
        module ModelFacts
          UNITS = %w[inches feet millimeters centimeters meters yards].freeze

          class << self
            def add_to(table, _services)
              table.add('get_model_info', effect: :read) { |arguments, call| info(call.model, arguments) }
              table.add('get_layers', effect: :read) { |_, call| layers(call.model) }
              table.add('get_materials', effect: :read) { |_, call| materials(call.model) }
              table.add('get_camera_info', effect: :read) { |_, call| camera(call.model.active_view.camera) }
            end

            private

            def info(model, arguments)
              project_id = arguments.string('project_id', default: nil)
              identity(model).merge(counts(model.entities), state(model),
                                    'num_vcad_nodes' => Nodes::Catalog.new(model, project_id).count)
            end

            def identity(model)
              { 'success' => true, 'title' => model.title.empty? ? 'Untitled' : model.title,
                'units' => units(model), 'path' => model.path, 'guid' => model.guid }
            end

            def counts(entities)
              { 'num_faces' => entities.grep(Sketchup::Face).length,
                'num_edges' => entities.grep(Sketchup::Edge).length,
                'num_groups' => entities.grep(Sketchup::Group).length,
                'num_components' => entities.grep(Sketchup::ComponentInstance).length }
            end

            def state(model)
              { 'modified' => model.modified?, 'is_template_unsaved' => model.path.empty?,
                'active_path_ids' => (model.active_path || []).map(&:entityID) }
            end

            def units(model)
              index = model.options['UnitsOptions']['LengthUnit']
              (index.is_a?(Integer) && index >= 0 && UNITS[index]) || 'unknown'
            end

            def layers(model)
              rows = model.layers.map do |layer|
                { 'name' => layer.name, 'visible' => layer.visible?, 'page_behavior' => layer.page_behavior }
              end
              { 'success' => true, 'count' => rows.length, 'layers' => rows }
            end

            def materials(model)
              rows = model.materials.map { |material| material_row(material) }
              { 'success' => true, 'count' => rows.length, 'materials' => rows }
            end

            def material_row(material)
              row = { 'name' => material.name, 'display_name' => material.display_name,
                      'textured' => !material.texture.nil? }
              color = material.color
              return row unless color

              row.merge('color' => { 'red' => color.red, 'green' => color.green, 'blue' => color.blue,
                                     'alpha' => material.alpha.to_f })
            end

            # A parallel camera has a height instead of an angle.
            def camera(camera)
              perspective = camera.perspective?
              places = { 'eye' => numbers(camera.eye), 'target' => numbers(camera.target),
                         'up' => numbers(camera.up), 'eye_mm' => Millimetres.point(camera.eye),
                         'target_mm' => Millimetres.point(camera.target) }
              lens = { 'fov' => perspective ? camera.fov.to_f : nil, 'perspective' => perspective,
                       'aspect_ratio' => camera.aspect_ratio.to_f }
              lens['height_mm'] = Millimetres.from_inches(camera.height) unless perspective
              { 'success' => true }.merge(places, lens)
            end

            def numbers(point)
              point.to_a.map(&:to_f)
            end
          end
        end
      end
    end
  end
end
