# frozen_string_literal: true

require 'sketchup'
require_relative 'version'
require_relative 'assembly'
require_relative 'menu'

module Vcad
  # The extension inside SketchUp: one runtime, built and started when this file is loaded.
  module Bridge
    class << self
      # @return [Runtime]
      attr_reader :runtime

      # @return [Array<#call>] more tools, added before this file is loaded; each gets (registry, services)
      def extra_tools
        @extra_tools ||= []
      end

      # Loads the extension's code again, keeping the tools that others added.
      def reload
        runtime.dispose
        kept = extra_tools
        # Bytes: on Windows names of one folder can carry different encodings.
        ours = "#{__dir__}/".b
        $LOADED_FEATURES.reject! { |feature| feature.b.start_with?(ours) }
        Vcad.send(:remove_const, :Bridge)
        Vcad.const_set(:Bridge, Module.new).instance_variable_set(:@extra_tools, kept)
        load(__FILE__)
      end

      # Builds the runtime anew and starts it unless the owner said no.
      def boot
        @runtime = Assembly.runtime(extra_tools: extra_tools)
        return unless @runtime.services.settings.autostart?

        @runtime.start
      rescue ArgumentError, SystemCallError
        # Runtime#failure tells why; an error here would make SketchUp disable the extension.
        nil
      end
    end

    boot
    unless file_loaded?(__FILE__)
      Menu.add
      file_loaded(__FILE__)
    end
  end
end
