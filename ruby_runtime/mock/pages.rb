# frozen_string_literal: true

require 'named_list'

# The host's own names for what a scene keeps.
PAGE_USE_CAMERA = 1
PAGE_USE_RENDERING_OPTIONS = 2
PAGE_USE_SHADOWINFO = 4
PAGE_USE_SKETCHCS = 8
PAGE_USE_HIDDEN = 16
PAGE_USE_LAYER_VISIBILITY = 32
PAGE_USE_SECTION_PLANES = 64
PAGE_USE_ALL = 4095

module Sketchup
  # A scene.
  class Page < Entity
    def initialize(list, name, camera)
      super(list.headless_model)
      @list = list
      @name = name
      @description = ''
      @camera = camera
    end

    def name
      @name.dup
    end

    def name=(name)
      assign(:@name, name.dup.freeze)
    end

    alias label name

    def description
      @description.dup
    end

    def description=(text)
      assign(:@description, text.dup.freeze)
    end

    # @return [Sketchup::Camera, nil] as it was when the scene was made
    attr_reader :camera

    def headless_named?(name)
      @name == name
    end
  end

  # The scenes of a model.
  class Pages < Entity
    include Headless::NamedList

    def initialize(model)
      super
      @list = []
    end

    # @return [Sketchup::Page]
    def add(name = nil, _flags = PAGE_USE_ALL, index = nil)
      raise ArgumentError, 'scenes are added at the end here' if index && index != @list.size

      headless_journal.step('Add Scene') do
        made = Page.new(self, headless_unique_name(name), @model.headless_camera)
        headless_enlist(made, [[:page_added, self, made]])
      end
    end

    # @return [Boolean]
    def erase(page)
      return false unless @list.include?(page)

      headless_journal.step('Delete Scene') { headless_strike(page, [[:page_removed, self, page]]) }
      true
    end

    # @return [Sketchup::Page, nil]
    def selected_page
      @selected if @selected&.valid?
    end

    def selected_page=(page)
      @selected = page
      @model.active_view.camera = page.camera if page&.camera
    end

    private

    def headless_default_name
      "Scene #{@list.size + 1}"
    end
  end
end
