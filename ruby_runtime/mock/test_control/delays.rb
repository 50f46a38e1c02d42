# frozen_string_literal: true

module Headless
  module TestControl
    # Makes the tick block where a test asked for it, as a long running tool does.
    module Delays
      def call(name, arguments, call)
        delay = Headless.host.delays.delete(name)
        return super unless delay

        sleep(delay[:seconds]) if delay[:at] == 'before'
        super.tap { sleep(delay[:seconds]) if delay[:at] == 'after' }
      end
    end
  end
end
