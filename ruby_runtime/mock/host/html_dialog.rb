# frozen_string_literal: true

module UI
  # A window with a page. Nothing is shown; callbacks are kept and can be called by a test.
  class HtmlDialog
    STYLE_DIALOG = 0
    STYLE_WINDOW = 1
    STYLE_UTILITY = 2

    def initialize(properties = {}, *_rest)
      @properties = properties.is_a?(Hash) ? properties : { dialog_title: properties }
      @callbacks = {}
      @visible = false
    end

    def add_action_callback(name, &block)
      raise ArgumentError, 'a callback needs a block' unless block

      @callbacks[name] = block
      true
    end

    def show
      @visible = true
      nil
    end

    # @raise [Headless::MockModalDialog] it would wait for a person
    def show_modal
      @visible = true
      Headless.host.answers.answer('HtmlDialog', @properties[:dialog_title])
    ensure
      @visible = false
    end

    def visible?
      @visible
    end

    def close
      @visible = false
      @on_closed&.call
      nil
    end

    def bring_to_front
      nil
    end

    # Kept nowhere: there is no window that would show it.
    %i[execute_script set_file set_html set_url set_size set_position].each do |name|
      define_method(name) { |*_values| nil }
    end

    def center
      nil
    end

    def set_on_closed(&block)
      @on_closed = block
      true
    end

    def set_can_close(&block)
      @can_close = block
      true
    end

    # Calls a callback as the page would.
    def headless_call(name, *arguments)
      @callbacks.fetch(name).call(self, *arguments)
    end
  end
end
