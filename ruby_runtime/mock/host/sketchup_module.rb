# frozen_string_literal: true

require 'tmpdir'

# The application's own functions.
module Sketchup
  class << self
    def active_model
      Headless.main_thread!
      Headless.host.documents.active
    end

    def active_model=(model)
      raise TypeError, 'wrong argument type (expected Sketchup::Model)' unless model.is_a?(Model)

      Headless.host.documents.activate(model)
    end

    def version
      '26.0.429'
    end

    def version_number
      26_000_429
    end

    def platform
      Headless.configuration.platform == 'windows' ? :platform_win : :platform_osx
    end

    def app_name
      'SketchUp Pro'
    end

    def is_pro? # rubocop:disable Naming/PredicateName -- the API's own name
      true
    end

    def is_64bit?
      true
    end

    def get_locale # rubocop:disable Naming/AccessorMethodName -- the API's own name
      'en-US'
    end

    def os_language
      'en-US'
    end

    def temp_dir
      Dir.tmpdir
    end

    def find_support_file(name, folder = nil)
      found = File.join(*[Headless::ROOT, folder, name].compact)
      File.exist?(found) ? found : nil
    end

    def focus
      true
    end

    def quit
      Headless.host.documents.quit
      Process.kill('TERM', Process.pid)
    end

    # @return [Boolean] whether it was opened; a missing or foreign file is answered, not raised
    def open_file(path, with_status: false)
      raise TypeError, "no implicit conversion of #{path.class} into String" unless path.is_a?(String)

      return false unless Headless.host.documents.make_room?

      Headless.host.documents.open(File.expand_path(path))
      with_status ? Model::LOAD_STATUS_SUCCESS : true
    rescue Headless::Dump::Unreadable
      false
    end

    def file_new
      Headless.host.documents.create if Headless.host.documents.make_room?
      self
    end

    def undo
      active_model&.headless_journal&.undo
      nil
    end

    def redo
      active_model&.headless_journal&.redo
      nil
    end

    # The actions that change what a script may see; others are accepted and do nothing.
    def send_action(action)
      case action
      when 'editUndo:' then undo
      when 'editRedo:' then self.redo
      end
      true
    end

    def add_observer(observer)
      known = Headless.host.app_observers
      return false if known.include?(observer)

      known << observer
      Headless.host.documents.greet(observer)
      true
    end

    def remove_observer(observer)
      !Headless.host.app_observers.delete(observer).nil?
    end

    def register_extension(extension, load_on_start = true) # rubocop:disable Style/OptionalBooleanParameter
      extensions.headless_add(extension)
      extension.check if load_on_start
      true
    end

    def extensions
      @extensions ||= ExtensionsManager.new
    end

    def require(path)
      Kernel.require(path)
    end

    def load(path)
      Kernel.load(path.end_with?('.rb') ? path : "#{path}.rb")
    end

    def read_default(section, name, default = nil)
      Headless.host.preferences.fetch(section, {}).fetch(name, default)
    end

    def write_default(section, name, value)
      (Headless.host.preferences[section] ||= {})[name] = value
      true
    end

    def status_text=(text)
      set_status_text(text)
    end

    def set_status_text(text = '', _position = 0)
      Headless.host.status_text = text.to_s
      true
    end

    def debug_mode?
      false
    end
  end

  # Whether extensions may be loaded without a signature is no matter here.
  SB_PROMPT = 0
  SB_VCB_LABEL = 1
  SB_VCB_VALUE = 2
end
