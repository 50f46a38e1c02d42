# frozen_string_literal: true

require 'fileutils'

module Vcad
  module Bridge
    module Repl
      # Keeps each evaluated snippet as a file, so that backtraces name something that can be opened.
      class Snippets
        # @return [String] "s<yymmdd-hhmmss>-<pid>"
        attr_reader :session

        # @param folder [String] parent of repl/<session>/
        # @param now [Time]
        def initialize(folder:, now: Time.now, pid: Process.pid)
          @session = "s#{now.strftime('%y%m%d-%H%M%S')}-#{pid}"
          @folder = File.join(folder, 'repl', @session)
          @count = 0
        end

        # @return [String] the file's name; the snippet runs also when it could not be stored
        def store(code)
          @count += 1
          path = File.join(@folder, format('%04d.rb', @count))
          FileUtils.mkdir_p(@folder, mode: 0o700)
          File.write(path, code, mode: 'w', encoding: 'UTF-8')
          path
        rescue SystemCallError
          path
        end
      end
    end
  end
end
