# frozen_string_literal: true

module Vcad
  module Bridge
    # The few questions that the path policy asks the file system; tests hand in a tree of their own.
    class Disk
      # @return [Symbol] :missing, :link, :directory or :file; links are not followed
      def kind(path)
        entry = File.lstat(path)
        return :link if entry.symlink?

        entry.directory? ? :directory : :file
      rescue SystemCallError
        :missing
      end

      # @return [String, nil] nil when a part is missing or unreadable
      def realpath(path)
        File.realpath(path).encode(Encoding::UTF_8)
      rescue SystemCallError, EncodingError
        nil
      end

      # @return [Array(Integer, Integer), nil] device and inode; nil where the platform has none
      def identity(path)
        entry = File.stat(path)
        entry.ino.zero? ? nil : [entry.dev, entry.ino]
      rescue SystemCallError
        nil
      end

      # Raises SystemCallError; an existing directory is fine.
      def make_directory(path)
        Dir.mkdir(path)
      rescue Errno::EEXIST
        nil
      end

      # @return [String, nil]
      def home
        Dir.home
      rescue ArgumentError
        nil
      end
    end
  end
end
