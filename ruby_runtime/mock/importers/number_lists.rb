# frozen_string_literal: true

require 'json'

module Headless
  module Importers
    # Long lists of numbers in a text. JSON's parser reads them several times as fast as splitting;
    # what it does not take (a plus sign, leading zeros) goes the slow way.
    module NumberLists
      BLANKS = " \t\r\n"

      # No model is larger; beyond it products of matrices would run out of numbers.
      LIMIT = 1e15

      module_function

      # @return [Array<Float>]
      # @raise [ArgumentError] for a word that is no number, or a number out of all measure
      def floats(text)
        numbers = parsed(text)&.map!(&:to_f) || text.split.map! { |word| Float(word) }
        raise ArgumentError, 'a number is not finite' unless numbers.sum.finite?

        low, high = numbers.minmax
        raise ArgumentError, 'a number is out of all measure' if low && (low < -LIMIT || high > LIMIT)

        numbers
      end

      # @return [Array<Integer>]
      # @raise [ArgumentError] for a word that is no integer
      def integers(text)
        list = parsed(text)
        # One number that is no integer makes the sum none.
        return list if list && list.sum.is_a?(Integer)

        text.split.map! { |word| Integer(word, 10) }
      end

      # @return [Array<Numeric>, nil] nil for what JSON does not take, or takes for more than numbers
      def parsed(text)
        return nil unless text.count("^0-9eE.+\\- \t\r\n").zero?

        list = text.strip.tr(BLANKS, ',')
        list = list.squeeze(',') if list.include?(',,')
        JSON.parse("[#{list}]")
      rescue JSON::ParserError
        nil
      end
    end
  end
end
