# frozen_string_literal: true

module Headless
  module TestControl
    # The surroundings of the model: documents, settings, failures, time.
    module Staging
      UNITS = { 'inches' => 0, 'feet' => 1, 'millimeters' => 2, 'centimeters' => 3, 'meters' => 4,
                'yards' => 5 }.freeze

      # Back to the state after start: an empty model, default settings.
      def reset(arguments)
        units = arguments['units']
        raise ArgumentError, "units is one of #{UNITS.keys.join(', ')}" unless units.nil? || UNITS.key?(units)

        Headless.reset
        Headless.configuration.update(platform: arguments['profile']) if arguments['profile']
        model.options['UnitsOptions']['LengthUnit'] = UNITS[units] if units
        model.headless_journal.forget
        { 'message' => 'reset' }
      end

      # @return [Hash] the values now in force
      def configure(arguments)
        changes = arguments.to_h.transform_keys(&:to_sym)
        Headless.configuration.update(changes)
        Headless.host.clock.virtual = Headless.configuration.clock == 'virtual'
        Headless.configuration.to_h.transform_keys(&:to_s)
      end

      def new_model(arguments)
        made = Headless.host.documents.create(title: arguments['title'])
        { 'title' => made.title }
      end

      def activate_model(arguments)
        found = Headless.host.documents.titled(arguments['title'])
        raise ArgumentError, "no open model is titled #{arguments['title'].inspect}" unless found

        Headless.host.documents.activate(found)
        { 'title' => found.title }
      end

      def fail_next(arguments)
        mode = arguments['mode'] || 'raise'
        Headless.failures.order(arguments['what'], mode, after: arguments['after'] || 0)
        { 'what' => arguments['what'] }
      end

      def script_ui(arguments)
        Headless.host.answers.script(arguments['answers'] || [])
        { 'answers' => arguments['answers'] }
      end

      # Blocks SketchUp for `seconds` at the next call of `tool`: `when` it has begun ("before", the
      # default) or has done its work ("after").
      def delay_next(arguments)
        at = arguments['when'] || 'before'
        raise ArgumentError, 'when is before or after' unless %w[before after].include?(at)

        Headless.host.delays[arguments['tool']] = { seconds: Float(arguments['seconds']), at: at }
        { 'tool' => arguments['tool'] }
      end

      # @return [Hash] the ids of the timers that fired, in order
      def advance(arguments)
        { 'fired' => Headless.host.timers.advance(Float(arguments['seconds'])) }
      end
    end
  end
end
