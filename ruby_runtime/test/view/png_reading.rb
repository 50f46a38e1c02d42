# frozen_string_literal: true

require 'zlib'

# Reads back what the mock writes: PNG without filters.
module PngReading
  Image = Struct.new(:width, :height, :texts, :rows, keyword_init: true) do
    # @return [Array(Integer, Integer, Integer, Integer)]
    def pixel(column, row)
      rows[row].byteslice(1 + (column * 4), 4).bytes
    end

    def colors
      rows.flat_map { |row| row.byteslice(1..).unpack('N*') }.uniq
    end

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
    raise 'not 8 bit RGBA' unless [depth, color] == [8, 6]

    body = Zlib::Inflate.inflate(chunks.select { |kind, _| kind == 'IDAT' }.map(&:last).join)
    raise 'wrong size' unless body.bytesize == height * (1 + (width * 4))

    texts = chunks.select { |kind, _| kind == 'tEXt' }.to_h { |_, text| text.split("\0", 2) }
    Image.new(width: width, height: height, texts: texts,
              rows: Array.new(height) { |row| body.byteslice(row * (1 + (width * 4)), 1 + (width * 4)) })
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
    chunks
  end
end
