# frozen_string_literal: true

require 'fileutils'
require 'stringio'
require 'tmpdir'
require_relative 'failure'

module Vcad
  module Bridge
    # Keeps what Ruby code prints: every line goes on to the console and into a log file.
    # The file is opened at the first line, below the last client's workspace or in a temporary folder.
    class ConsoleCapture
      LOG = '.vcad/logs/runtime-console.log'
      ROTATE_AT = 5_000_000
      RECORDED = 65_536
      LONGEST_LINE = 65_536

      # Stands in for $stdout or $stderr and passes everything on.
      class Tee
        attr_reader :original

        def initialize(original, &listener)
          @original = original
          @listener = listener
        end

        def write(*texts)
          # One by one: the host's console takes a single text.
          texts.map(&:to_s).sum do |text|
            @listener.call(text)
            @original.write(text)
            text.bytesize
          end
        end

        def print(*texts)
          write(*texts)
          nil
        end

        def <<(text)
          write(text)
          self
        end

        def puts(*values)
          collected = StringIO.new
          collected.puts(*values)
          write(collected.string)
          nil
        end

        def printf(*arguments)
          write(format(*arguments)) unless arguments.empty?
          nil
        end

        def flush
          @original.flush if @original.respond_to?(:flush)
          self
        end

        def sync
          true
        end

        def sync=(value); end

        private

        def method_missing(name, *arguments, &block)
          @original.respond_to?(name) ? @original.public_send(name, *arguments, &block) : super
        end

        def respond_to_missing?(name, include_private = false)
          @original.respond_to?(name, include_private)
        end
      end

      # @param time [#call] wall clock
      # @param folder [String] before a workspace is known
      def initialize(time: -> { Time.now }, folder: ConsoleCapture.private_folder)
        @time = time
        @folder = folder
        @fallback = File.join(folder, 'runtime-console.log')
        @target = nil
        @file = nil
        @partial = { 'I' => +'', 'E' => +'' }
        @recordings = []
      end

      # @return [String] where files go that belong to no workspace
      attr_reader :folder

      # @return [String] a folder that other users of this machine cannot read
      def self.private_folder
        folder = File.join(Dir.tmpdir, "vcad-bridge-#{Process.uid}")
        taken = File.symlink?(folder) || (File.exist?(folder) && !File.owned?(folder))
        taken ? Dir.mktmpdir('vcad-bridge-') : folder
      end

      def start
        return if capturing?

        @out = $stdout = Tee.new($stdout) { |text| printed('I', text) }
        @err = $stderr = Tee.new($stderr) { |text| printed('E', text) }
      end

      def stop
        return unless capturing?

        $stdout = @out.original if $stdout.equal?(@out)
        $stderr = @err.original if $stderr.equal?(@err)
        @out = @err = nil
        close_file
      end

      def capturing?
        !@out.nil?
      end

      # Later lines go below this workspace.
      # @param paths [PathPolicy]
      def follow(paths)
        return unless paths.workspace

        @paths = paths
        wanted = File.join(paths.workspace, LOG)
        close_file unless wanted == @target
        @target = wanted
      end

      # @return [String] where lines go
      def log_file
        @target || @fallback
      end

      # @param level [String] I, E or D
      def note(level, text)
        text.to_s.scrub.each_line(chomp: true) { |line| log_line(level, line) }
      end

      # Shows a line on the real console without recording it.
      def show(text)
        ($stderr.equal?(@err) && @err ? @err.original : $stderr).write("#{text}\n")
      end

      # Runs the block and appends what it prints.
      # @param recording [String] filled also when the block raises; at most `limit` bytes
      # @return [Object] the block's value
      def record(recording, limit: RECORDED)
        entry = [recording, limit]
        @recordings << entry
        was_capturing = capturing?
        start
        yield
      ensure
        @recordings.delete_if { |kept| kept.equal?(entry) }
        stop unless was_capturing
      end

      private

      def printed(level, text)
        text = as_utf8(text)
        @recordings.each { |recording, limit| keep(recording, text, limit) }
        pending = @partial[level] << text
        # What waits has no line end; it is looked at again only when one comes.
        return unless text.include?("\n") || pending.bytesize > LONGEST_LINE

        *lines, rest = pending.split("\n", -1)
        lines << rest.slice!(0..) if rest.bytesize > LONGEST_LINE
        @partial[level] = rest
        lines.each { |line| log_line(level, line.chomp) }
      end

      # Bytes without a name, and names without a meaning, count as UTF-8.
      def as_utf8(text)
        return text.dup.force_encoding(Encoding::UTF_8).scrub if text.encoding == Encoding::BINARY
        return text.scrub if text.encoding == Encoding::UTF_8

        text.encode(Encoding::UTF_8, invalid: :replace, undef: :replace, replace: "\uFFFD")
      end

      def keep(recording, text, limit)
        room = limit - recording.bytesize
        recording << text.byteslice(0, room).scrub('') if room.positive?
      end

      # Losing the log must not break the code that printed.
      def log_line(level, line)
        file = open_file
        return unless file

        file.write("#{@time.call.strftime('%H:%M:%S.%L')}|#{level}|SketchUp|#{line}\n")
        rotate(file) if file.size > ROTATE_AT
      rescue SystemCallError, IOError
        close_file
      end

      def open_file
        return @file if @file

        if @target
          @paths.writable(LOG)
        else
          FileUtils.mkdir_p(File.dirname(@fallback), mode: 0o700)
        end
        @file = File.open(log_file, 'a', encoding: 'UTF-8').tap { |file| file.sync = true }
      rescue SystemCallError, Failure
        nil
      end

      def rotate(file)
        close_file
        File.rename(file.path, "#{file.path}.1")
      end

      def close_file
        @file&.close
        @file = nil
      end
    end
  end
end
