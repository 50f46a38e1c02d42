# frozen_string_literal: true

require_relative '../../calls/failure'

module Vcad
  module Bridge
    module Tools
      module General
        # Where pictures and exports go when the caller does not say.
        module OutputFiles
          class << self
            # @param folder [String] below the workspace, e.g. ".vcad/shots"
            # @return [String] absolute path of a file that does not exist yet. Raises PATH_NOT_ALLOWED.
            def fresh(call, folder, stem, extension, now: Time.now)
              stem = "#{stem}-#{now.strftime('%Y%m%d-%H%M%S')}"
              numbers = [''].chain((2..).lazy.map { |number| "-#{number}" })
              name = numbers.map { |number| "#{stem}#{number}#{extension}" }
                            .find { |candidate| !File.exist?(File.join(base(call), folder, candidate)) }
              call.paths.writable(File.join(base(call), folder, name), argument: 'output_path')
            end

            # @return [String] an absolute folder, made when missing
            def folder(call, folder)
              call.paths.writable_directory(File.join(base(call), folder))
            end

            # @param path [String] as given by the caller
            # @param extensions [Array<String>] allowed ones, the first is added when there is none
            # @return [String] absolute path to write to. Raises INVALID_PARAMS or PATH_NOT_ALLOWED.
            def given(call, arguments, name, extensions)
              path = arguments.string(name, max: 4096, empty: false)
              path += extensions.first if File.extname(path).empty?
              unless extensions.include?(File.extname(path).downcase)
                arguments.refuse(name, "a path ending in #{extensions.join(' or ')}")
              end
              call.paths.writable(path, argument: name)
            end

            private

            def base(call)
              call.paths.base || raise(nowhere)
            end

            def nowhere
              Failure.new('PATH_NOT_ALLOWED',
                          'Path access denied for the default folder: there is no workspace',
                          details: { 'path' => nil, 'workspace' => nil },
                          hint: 'Give an absolute workspace folder in hello, or an allowed path.')
            end
          end
        end
      end
    end
  end
end
