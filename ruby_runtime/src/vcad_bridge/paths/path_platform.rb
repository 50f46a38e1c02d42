# frozen_string_literal: true

module Vcad
  module Bridge
    # What differs between systems when paths are compared: spelling, absolute forms, forbidden names.
    # Pure: knows nothing of the disk.
    module PathPlatform
      # @param platform [Symbol, String] Sketchup.platform (:platform_win, :platform_osx) or RUBY_PLATFORM
      def self.for(platform)
        case platform.to_s
        when /platform_win|mswin|mingw/ then Windows.new
        when /platform_osx|darwin/ then MacOs.new
        else Linux.new
        end
      end

      # Byte comparison: NFC and NFD spellings are different files.
      class Linux
        def absolute?(path)
          path.start_with?('/')
        end

        # @return [Array(String, Array<String>)] the volume ("/" or "C:/") and the components below it
        def split(path)
          ['/', components(path)]
        end

        # @return [String, nil] why this spelling is refused before any look at the disk
        def objection(_path)
          nil
        end

        def same_component?(left, right)
          left.b == right.b
        end

        def identity_decides?
          false
        end

        # `.` and `..` are taken out by their letters, before the disk is asked.
        def normalise(path)
          volume, parts = split(path)
          kept = parts.each_with_object([]) do |part, sofar|
            next if part == '.'

            part == '..' ? sofar.pop : sofar << part
          end
          volume + kept.join('/')
        end

        def join(folder, rest)
          folder.end_with?('/') ? folder + rest : "#{folder}/#{rest}"
        end

        private

        def components(path)
          path.split('/').reject(&:empty?)
        end
      end

      # NFC, case folded; file identity decides, because volumes may be case-sensitive.
      class MacOs < Linux
        def same_component?(left, right)
          fold(left) == fold(right)
        end

        def identity_decides?
          true
        end

        private

        def fold(component)
          component.unicode_normalize(:nfc).downcase(:fold)
        end
      end

      # Both slashes, any case; refuses what Windows would read as something other than a plain file.
      class Windows < Linux
        DEVICE = /\A(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|\z)/i
        DRIVE = %r{\A[A-Za-z]:/}

        def absolute?(path)
          slashes(path).match?(DRIVE) || unc?(path)
        end

        def unc?(path)
          slashes(path).start_with?('//')
        end

        def split(path)
          path = slashes(path)
          return unc_split(path) if unc?(path)
          return ["#{path[0].upcase}:/", components(path[3..])] if path.match?(DRIVE)

          ['/', components(path)]
        end

        def objection(path)
          path = slashes(path)
          return 'device paths (\\\\?\\, \\\\.\\) are not accepted' if path.match?(%r{\A//[?.]/})
          return 'drive-relative paths are not accepted' if path.match?(%r{\A[A-Za-z]:(?!/)})
          return 'paths must name a drive' if path.match?(%r{\A/(?!/)})

          components(path.sub(DRIVE, '')).filter_map { |part| component_objection(part) }.first
        end

        def same_component?(left, right)
          capitals(left) == capitals(right)
        end

        private

        # Letter by letter, as the file system compares: ß is not SS.
        def capitals(component)
          component.each_char.map do |letter|
            capital = letter.upcase
            capital.length == 1 ? capital : letter
          end.join
        end

        def component_objection(part)
          return nil if %w[. ..].include?(part)
          return "#{part} names an alternate stream" if part.include?(':')
          return "#{part} ends in a dot or a space" if part.match?(/[. ]\z/)

          "#{part} is a device name" if part.match?(DEVICE)
        end

        def unc_split(path)
          server, share, *rest = components(path)
          ["//#{server}/#{share}/", rest]
        end

        def slashes(path)
          path.tr('\\', '/')
        end
      end
    end
  end
end
