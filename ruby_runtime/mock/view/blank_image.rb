# frozen_string_literal: true

require 'zlib'

module Headless
  # Pictures of one colour: sound files of the right size, since nothing is drawn here.
  module BlankImage
    module_function

    # White, or fully transparent: greyscale of one bit a pixel.
    # @param text [String] ASCII, embedded under the keyword
    # @return [String] the file's bytes
    def png(width, height, keyword, text, transparent: false)
      row = "\0#{"\xFF" * ((width + 7) / 8)}".b
      ["\x89PNG\r\n\x1A\n".b, chunk('IHDR', [width, height, 1, 0, 0, 0, 0].pack('NNC5')),
       transparent ? chunk('tRNS', [1].pack('n')) : '', chunk('tEXt', "#{keyword}\0#{text}".b),
       chunk('IDAT', Zlib::Deflate.deflate(row * height)), chunk('IEND', ''.b)].join
    end

    # Grey, without a code word for anything else.
    # @return [String] the file's bytes
    def jpeg(width, height, keyword, text)
      code = [1, *([0] * 15), 0].pack('C*')
      ["\xFF\xD8".b, segment(0xFE, "#{keyword}: #{text}".b), segment(0xDB, "\0#{"\1" * 64}".b),
       segment(0xC0, [8, height, width, 1, 1, 0x11, 0].pack('CnnC4')), segment(0xC4, "\x00".b + code),
       segment(0xC4, "\x10".b + code), segment(0xDA, [1, 1, 0, 0, 63, 0].pack('C*')),
       scan(((width + 7) / 8) * ((height + 7) / 8)), "\xFF\xD9".b].join
    end

    # Each block of 8 by 8 pixels says "as the one before" and "nothing more": a zero bit each.
    def scan(blocks)
      [('0' * (2 * blocks)) + ('1' * (-2 * blocks % 8))].pack('B*')
    end

    def chunk(kind, data)
      [data.bytesize].pack('N') + kind.b + data + [Zlib.crc32(kind + data)].pack('N')
    end

    def segment(marker, data)
      [0xFF, marker, data.bytesize + 2].pack('CCn') + data
    end
  end
end
