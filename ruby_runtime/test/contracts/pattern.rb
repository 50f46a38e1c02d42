# frozen_string_literal: true

module Contracts
  # Says where a value does not fit a pattern of the stories, and keeps what the pattern asks to keep.
  class Pattern
    NEAR = 1e-3
    KINDS = {
      '$any' => ->(_found) { true },
      '$string' => ->(found) { found.is_a?(String) },
      '$text' => ->(found) { found.is_a?(String) && !found.empty? },
      '$integer' => ->(found) { found.is_a?(Integer) },
      '$number' => ->(found) { found.is_a?(Numeric) },
      '$boolean' => ->(found) { [true, false].include?(found) },
      '$object' => ->(found) { found.is_a?(Hash) },
      '$array' => ->(found) { found.is_a?(Array) }
    }.freeze

    # @param kept [Hash{String=>Object}] filled with what {"$keep": name} meets
    def initialize(kept = {})
      @kept = kept
    end

    # @return [String, nil] the first complaint
    def mismatch(found, pattern, path = 'answer')
      case pattern
      when Hash then special(found, pattern, path) || subset(found, pattern, path)
      when Array then elements(found, pattern, path)
      when String then word(found, pattern, path)
      else differs(found, pattern, path)
      end
    end

    private

    def elements(found, pattern, path)
      return "#{path} is #{found.inspect} instead of #{pattern.size} elements" unless
        found.is_a?(Array) && found.size == pattern.size

      pattern.each_with_index.filter_map { |wanted, k| mismatch(found[k], wanted, "#{path}[#{k}]") }.first
    end

    def word(found, pattern, path)
      if KINDS.key?(pattern)
        KINDS[pattern].call(found) ? nil : "#{path} is #{found.inspect}, which is not #{pattern}"
      elsif pattern.start_with?('$match:')
        fits = found.is_a?(String) && found.match?(Regexp.new(pattern.delete_prefix('$match:')))
        fits ? nil : "#{path} is #{found.inspect}, which is not #{pattern}"
      else
        differs(found, pattern, path)
      end
    end

    def differs(found, pattern, path)
      found == pattern ? nil : "#{path} is #{found.inspect} instead of #{pattern.inspect}"
    end

    def special(found, pattern, path)
      return keep(found, pattern['$keep'], path) if pattern.key?('$keep')
      return near(found, pattern['$near'], path) if pattern.key?('$near')
      return other(found, pattern['$not'], path) if pattern.key?('$not')

      (%w[$has $each $length] & pattern.keys).any? ? list(found, pattern, path) : nil
    end

    def keep(found, name, path)
      @kept[name] = found
      found.nil? ? "#{path} is null" : nil
    end

    def other(found, unwanted, path)
      "#{path} is #{found.inspect} still" if found == unwanted
    end

    def near(found, wanted, path)
      near?(found, wanted) ? nil : "#{path} is #{found.inspect}, not near #{wanted}"
    end

    def near?(found, wanted)
      return found.is_a?(Numeric) && (found - wanted).abs <= NEAR unless wanted.is_a?(Array)

      found.is_a?(Array) && found.size == wanted.size && found.zip(wanted).all? { |pair| near?(*pair) }
    end

    def list(found, pattern, path)
      return "#{path} is #{found.inspect}, which is no array" unless found.is_a?(Array)
      return "#{path} has #{found.size} elements" unless found.size == pattern.fetch('$length', found.size)

      lacking = pattern.fetch('$has', []).find { |wanted| found.all? { |one| mismatch(one, wanted, path) } }
      return "#{path} lacks #{lacking.inspect}" if lacking

      found.filter_map { |one| mismatch(one, pattern['$each'], "#{path}[]") }.first if pattern.key?('$each')
    end

    def subset(found, pattern, path)
      wanted = pattern.reject { |key, _| key.start_with?('$') }
      without = pattern.fetch('$without', [])
      return if wanted.empty? && without.empty?
      return "#{path} is #{found.inspect}, which is no object" unless found.is_a?(Hash)

      surplus = without.find { |key| found.key?(key) }
      missing = wanted.keys.find { |key| !found.key?(key) }
      return "#{path}.#{surplus} is #{found[surplus].inspect} and should not be there" if surplus
      return "#{path}.#{missing} is missing" if missing

      wanted.filter_map { |key, one| mismatch(found[key], one, "#{path}.#{key}") }.first
    end
  end
end
