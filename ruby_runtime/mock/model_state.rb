# frozen_string_literal: true

# Documents: entities, definitions, operations, observers.

require 'digest'

require 'assumptions'
require 'guard'
require 'observers'
require 'observer_classes'
require 'identities'
require 'journal'
require 'color'
require 'entities/attributed'
require 'entities/entity'
require 'entities/attribute_dictionary'
require 'entities/drawing_element'
require 'entities/vertex'
require 'entities/edge'
require 'entities/face'
require 'entities/face_mesh'
require 'entities/construction'
require 'entities/sewing'
require 'entities/mesh_loading'
require 'entities/mesh_filling'
require 'entities/extents'
require 'entities/erasing'
require 'entities/regrouping'
require 'entities/push_pull'
require 'entities/entities_store'
require 'entities/entities_geometry'
require 'entities/entities'
require 'entities/entities_builder'
require 'entities/placed'
require 'entities/component_instance'
require 'entities/group'
require 'entities/definition_nesting'
require 'entities/component_definition'
require 'entities/definition_list'
require 'layers'
require 'materials'
require 'selection'
require 'pages'
require 'options'
require 'instance_path'
require 'model'

Headless::Guard.protect(
  Sketchup::Entity, Sketchup::Drawingelement, Sketchup::AttributeDictionary, Sketchup::AttributeDictionaries,
  Sketchup::Vertex, Sketchup::Edge, Sketchup::Face, Sketchup::Loop, Sketchup::ConstructionPoint,
  Sketchup::ConstructionLine, Sketchup::Entities, Sketchup::ComponentInstance, Sketchup::Group,
  Sketchup::ComponentDefinition, Sketchup::Behavior, Sketchup::DefinitionList, Sketchup::Layer,
  Sketchup::Layers, Sketchup::Material, Sketchup::Materials, Sketchup::Page, Sketchup::Pages,
  Sketchup::RenderingOptions, Sketchup::Selection, Sketchup::Model
)
