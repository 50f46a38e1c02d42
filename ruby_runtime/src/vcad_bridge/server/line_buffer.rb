# frozen_string_literal: true

module Vcad
  module Bridge
    module Server
      # Bytes in, complete lines out. Lines end in LF; a CR before it is dropped, blank lines are skipped.
      class LineBuffer
        BLANK = /\A[ \t\r\n\v\f]*\z/n
        private_constant :BLANK

        # @param limit [Integer] longest line in bytes, without the LF
        def initialize(limit)
          @limit = limit
          clear
        end

        def <<(bytes)
          @bytes << bytes
          self
        end

        # @return [String, nil] the next non-blank line as UTF-8 (validity unchecked); nil when none is
        #   complete or the next one is too long
        def shift
          while (stop = @bytes.index("\n", @searched))
            return nil if stop - @start > @limit

            line = @bytes.byteslice(@start, stop - @start).delete_suffix("\r")
            @start = @searched = stop + 1
            return line.force_encoding(Encoding::UTF_8) unless line.match?(BLANK)
          end
          compact
          nil
        end

        # Whether the next line, finished or not, is longer than allowed.
        def overflow?
          waiting = @bytes.bytesize - @start
          waiting > @limit && ((@bytes.index("\n", @start) || @bytes.bytesize) - @start) > @limit
        end

        def clear
          @bytes = String.new(encoding: Encoding::BINARY)
          @start = @searched = 0
        end

        private

        # Once per batch of lines, not once per line: a flood of short lines must stay cheap.
        def compact
          @bytes = @bytes.byteslice(@start..) if @start.positive?
          @start = 0
          @searched = @bytes.bytesize
        end
      end
    end
  end
end
