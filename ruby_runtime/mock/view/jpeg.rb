# frozen_string_literal: true

module Headless
  # Writes JPEG pictures of one colour per block of 8 by 8 pixels: the size and the layout can be
  # checked, and it takes no time.
  module Jpeg
    BLOCK = 8
    # Bits of a difference to code words, from the standard's table for the lightness of blocks.
    DC_LENGTHS = [0, 1, 5, 1, 1, 1, 1, 1, 1, 0, 0, 0, 0, 0, 0, 0].freeze
    DC_VALUES = (0..11).to_a.freeze
    # The only word of the other table: nothing but the mean.
    AC_LENGTHS = [1, *([0] * 15)].freeze
    AC_VALUES = [0].freeze

    module_function

    # @param canvas [Canvas]
    # @param texts [Hash{String => String}] go into comments
    # @return [String] the file's bytes
    def encode(canvas, texts = {})
      size = [8, canvas.height, canvas.width,
              3].pack('CnnC') + [1, 0x11, 0, 2, 0x11, 0, 3, 0x11, 0].pack('C*')
      ["\xFF\xD8".b, segment(0xE0, "JFIF\0\x01\x01\0\0\x01\0\x01\0\0".b),
       *texts.map { |keyword, text| segment(0xFE, "#{keyword}: #{text}".b) },
       segment(0xDB, ([0] + ([1] * 64)).pack('C*')), segment(0xC0, size),
       segment(0xC4, [0x00, *DC_LENGTHS, *DC_VALUES].pack('C*')),
       segment(0xC4, [0x10, *AC_LENGTHS, *AC_VALUES].pack('C*')),
       segment(0xDA, [3, 1, 0, 2, 0, 3, 0, 0, 63, 0].pack('C*')), scan(canvas), "\xFF\xD9".b].join
    end

    def segment(marker, data)
      [0xFF, marker, data.bytesize + 2].pack('CCn') + data
    end

    def scan(canvas)
      words = code_words
      before = [0, 0, 0]
      bits = +''
      means(canvas).each do |levels|
        levels.each_with_index do |level, part|
          difference = level - before[part]
          before[part] = level
          bits << word(difference, words) << '0'
        end
      end
      bits << ('1' * (-bits.size % 8))
      [bits].pack('B*').gsub("\xFF".b, "\xFF\x00".b)
    end

    # Difference to text of bits: how many bits, then these.
    def word(difference, words)
      count = difference.abs.bit_length
      return words[0] if count.zero?

      value = difference.positive? ? difference : difference + (1 << count) - 1
      words[count] + value.to_s(2).rjust(count, '0')
    end

    def code_words
      code = 0
      values = DC_VALUES.dup
      DC_LENGTHS.each_with_index.with_object({}) do |(number, index), words|
        number.times do
          words[values.shift] = code.to_s(2).rjust(index + 1, '0')
          code += 1
        end
        code <<= 1
      end
    end

    # Lightness and two colour differences per block, from the pixel in its middle, as eight times the mean.
    def means(canvas)
      rows = canvas.rows
      (0...canvas.height).step(BLOCK).flat_map do |top|
        row = rows[[top + 4, canvas.height - 1].min]
        (0...canvas.width).step(BLOCK).map do |left|
          red, green, blue = row.byteslice([left + 4, canvas.width - 1].min * 4, 3).bytes
          levels(red, green, blue)
        end
      end
    end

    def levels(red, green, blue)
      [(0.299 * red) + (0.587 * green) + (0.114 * blue) - 128,
       (-0.168736 * red) - (0.331264 * green) + (0.5 * blue),
       (0.5 * red) - (0.418688 * green) - (0.081312 * blue)].map do |level|
        (level * 8).round.clamp(-1024,
                                1016)
      end
    end
  end
end
