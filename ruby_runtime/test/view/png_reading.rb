# frozen_string_literal: true

require 'zlib'

# Reads back what the mock writes: PNG without filters, greyscale of one bit a pixel.
module PngReading
  Image = Struct.new(:width, :height, :texts, :transparent, keyword_init: true) do
    def described
      JSON.parse(texts.fetch('Headless-View'))
    end
  end

  module_function

  # @raise [RuntimeError] for a damaged file
  def read(path)
    data = File.binread(path)
    raise 'no PNG' unless data.start_with?("\x89PNG\r\n\x1A\n".b)

    chunks = chunks_of(data.byteslice(8..))
    width, height, depth, color, = chunks.first[1].unpack('NNCC')
    raise 'not one bit of grey' unless [depth, color] == [1, 0]

    body = Zlib::Inflate.inflate(chunks.select { |kind, _| kind == 'IDAT' }.map(&:last).join)
    raise 'wrong size' unless body.bytesize == height * (1 + ((width + 7) / 8))

    texts = chunks.select { |kind, _| kind == 'tEXt' }.to_h { |_, text| text.split("\0", 2) }
    Image.new(width: width, height: height, texts: texts, transparent: chunks.assoc('tRNS') ? true : false)
  end

  def chunks_of(data)
    chunks = []
    until data.empty?
      size = data.unpack1('N')
      kind = data.byteslice(4, 4)
      content = data.byteslice(8, size)
      raise "damaged #{kind}" unless data.byteslice(8 + size, 4).unpack1('N') == Zlib.crc32(kind + content)

      chunks << [kind, content]
      data = data.byteslice((12 + size)..)
    end
    raise 'no end' unless chunks.last == ['IEND', '']

    chunks
  end
end
