# frozen_string_literal: true

# Windows, menus and timers. What would wait for a person takes a scripted answer, or raises.
module UI
  # A thing to do, for menus and toolbars.
  class Command
    attr_accessor :menu_text, :small_icon, :large_icon, :status_bar_text, :tooltip

    def initialize(menu_text, &block)
      raise ArgumentError, 'a command needs a block' unless block

      @menu_text = menu_text
      @block = block
    end

    def set_validation_proc(&_block)
      self
    end

    def headless_block
      @block
    end
  end

  # A message at the window's edge, which waits for nobody.
  class Notification
    attr_accessor :message, :icon_name, :icon_tooltip

    def initialize(_extension, message = nil, icon_name = nil, icon_tooltip = nil)
      @message = message
      @icon_name = icon_name
      @icon_tooltip = icon_tooltip
    end

    def show
      true
    end
  end

  class << self
    # @return [Integer] the timer's id
    def start_timer(seconds, repeat = false, &block) # rubocop:disable Style/OptionalBooleanParameter
      Headless.main_thread!
      Headless.host.timers.start(seconds, repeat: repeat, &block)
    end

    def stop_timer(id)
      Headless.host.timers.stop(id)
      nil
    end

    def messagebox(message, _type = MB_OK, _title = nil)
      Headless.host.answers.answer('messagebox', message)
    end

    def inputbox(prompts, *_rest)
      Headless.host.answers.answer('inputbox', prompts.join(', '))
    end

    def openpanel(title = 'Open', *_rest)
      Headless.host.answers.answer('openpanel', title)
    end

    def savepanel(title = 'Save', *_rest)
      Headless.host.answers.answer('savepanel', title)
    end

    def select_directory(options = {})
      Headless.host.answers.answer('select_directory', options[:title])
    end

    def menu(name = 'Plugins')
      (@menus ||= {})[name] ||= Sketchup::Menu.new(name)
    end

    def add_context_menu_handler(&block)
      (@context_menu_handlers ||= []) << block
      @context_menu_handlers.size
    end

    def beep
      nil
    end

    def openURL(_address) # rubocop:disable Naming/MethodName -- the API's own name
      true
    end

    def refresh_inspectors
      true
    end

    def scale_factor
      1.0
    end
  end
end
