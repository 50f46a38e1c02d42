# frozen_string_literal: true

require 'zlib'

module Headless
  # Writes PNG pictures: 8 bits of red, green, blue and opacity.
  module Png
    SIGNATURE = "\x89PNG\r\n\x1A\n".b
    COLOR_RGBA = 6
    # Flat pictures compress well at any level; the quickest one serves tests best.
    LEVEL = Zlib::BEST_SPEED

    module_function

    # @param canvas [Canvas]
    # @param texts [Hash{String => String}] keywords and ASCII texts to embed
    # @return [String] the file's bytes
    def encode(canvas, texts = {})
      header = [canvas.width, canvas.height, 8, COLOR_RGBA, 0, 0, 0].pack('NNC5')
      body = canvas.rows.map { |row| "\0".b + row }.join
      [SIGNATURE, chunk('IHDR', header),
       *texts.map { |keyword, text| chunk('tEXt', "#{keyword}\0#{text}".b) },
       chunk('IDAT', Zlib::Deflate.deflate(body, LEVEL)), chunk('IEND', '')].join
    end

    def chunk(kind, data)
      [data.bytesize].pack('N') + kind.b + data.b + [Zlib.crc32(kind + data)].pack('N')
    end
  end
end
