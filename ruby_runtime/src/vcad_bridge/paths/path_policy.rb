# frozen_string_literal: true

require_relative 'disk'
require_relative '../calls/failure'
require_relative 'path_platform'

module Vcad
  module Bridge
    # Which files the tools of one connection may touch: those below its workspace and the allowed roots.
    # A guard rail against mistakes, not a sandbox.
    class PathPolicy
      LONGEST = 4096
      EVERYWHERE = '*'

      # @return [String, nil] the real path of the workspace; nil when it was unusable
      attr_reader :workspace

      # @param workspace [String, nil] as given in hello
      # @param roots [Array<String>] allowed besides; '*' switches the policy off
      # @param platform [PathPlatform::Linux] or a subclass
      # @param disk [Disk]
      def initialize(workspace: nil, roots: [], platform: PathPlatform.for(RUBY_PLATFORM), disk: Disk.new)
        @platform = platform
        @disk = disk
        @unrestricted = roots.include?(EVERYWHERE)
        @workspace = usable_root(workspace)
        extra = (roots - [EVERYWHERE]).filter_map { |root| usable_root(root) }
        @roots = [@workspace, *extra].compact.uniq
      end

      # @return [String, nil] where files go when the caller names no place
      def base
        @roots.first
      end

      def unrestricted?
        @unrestricted
      end

      # @param argument [String] the argument's name, for the message
      # @return [String] absolute path with links resolved; the file may be missing.
      #   Raises INVALID_PARAMS or PATH_NOT_ALLOWED.
      def readable(path, argument: 'path')
        lexical = absolute(check_type(path, argument), path)
        resolved = resolve(lexical)
        raise denied(path) unless resolved && allowed?(resolved)

        resolved
      end

      # Makes the missing parent directories, one by one, after the check.
      # @return [String] absolute path to write to. Raises INVALID_PARAMS or PATH_NOT_ALLOWED.
      def writable(path, argument: 'path')
        resolved = readable(path, argument: argument)
        lexical = absolute(path, path)
        raise denied(path) if @disk.kind(lexical) == :link
        raise denied(path) if @roots.include?(resolved)

        make_parents(resolved, path)
        # A link may have appeared between the first check and the directories.
        raise denied(path) unless @disk.kind(resolved) != :link && leads_nowhere_else?(resolved)

        resolved
      end

      # @return [String] an existing directory below a root, made when missing
      def writable_directory(path, argument: 'output_dir')
        resolved = readable(path, argument: argument)
        return resolved if @disk.kind(resolved) == :directory && @roots.include?(resolved)

        resolved = writable(path, argument: argument)
        @disk.make_directory(resolved)
        raise denied(path) unless @disk.kind(resolved) == :directory && leads_nowhere_else?(resolved)

        resolved
      rescue SystemCallError
        raise denied(path)
      end

      # @return [Boolean] whether a path would pass `readable`
      def allows?(path)
        readable(path)
        true
      rescue Failure
        false
      end

      private

      def check_type(path, argument)
        expected = "a path of at most #{LONGEST} bytes without NUL, valid UTF-8"
        fits = path.is_a?(String) && !path.empty? && path.bytesize <= LONGEST && path.valid_encoding? &&
               !path.include?("\0")
        return path if fits

        raise Failure.new('INVALID_PARAMS', "#{argument} must be #{expected}",
                          details: { 'path' => argument, 'expected' => expected })
      end

      def absolute(path, given)
        raise denied(given) if @platform.absolute?(path) && objection(path)
        return @platform.normalise(path) if @platform.absolute?(path)
        raise denied(given) if workspace.nil? || objection(path)

        @platform.normalise(@platform.join(workspace, path))
      end

      def objection(path)
        reason = @platform.objection(path)
        return reason if reason
        return nil unless @platform.respond_to?(:unc?) && @platform.unc?(path)

        'network paths are not accepted' unless @unrestricted || @roots.any? { |root| @platform.unc?(root) }
      end

      # The deepest existing ancestor with its links resolved, and the rest appended: a new file behind a
      # linked directory shows where it would really land. nil for a dangling link.
      def resolve(path)
        volume, parts = @platform.split(path)
        parts.length.downto(0) do |count|
          ancestor = volume + parts.first(count).join('/')
          next if @disk.kind(ancestor) == :missing

          real = @disk.realpath(ancestor)
          return real && with_rest(real, parts.drop(count))
        end
        nil
      end

      def with_rest(real, rest)
        rest.reduce(real) { |folder, part| @platform.join(folder, part) }
      end

      def allowed?(resolved)
        @unrestricted || @roots.any? { |root| inside?(resolved, root) }
      end

      # A volume may hand a name back in another normal form, which is still the same place.
      def leads_nowhere_else?(path)
        real = resolve(path)
        !real.nil? && covers?(real, path) && covers?(path, real)
      end

      def inside?(path, root)
        return holds_by_identity?(path, root) if @platform.identity_decides? && @disk.identity(root)

        covers?(root, path)
      end

      def covers?(root, path)
        volume, parts = @platform.split(path)
        root_volume, root_parts = @platform.split(root)
        return false if parts.length < root_parts.length
        return false unless @platform.same_component?(volume, root_volume)

        root_parts.zip(parts).all? { |root_part, part| @platform.same_component?(root_part, part) }
      end

      # The root exists, so a path is inside it exactly when one of its ancestors is the same directory.
      def holds_by_identity?(path, root)
        wanted = @disk.identity(root)
        volume, parts = @platform.split(path)
        (0..parts.length).any? { |count| @disk.identity(volume + parts.first(count).join('/')) == wanted }
      end

      def make_parents(resolved, given)
        volume, parts = @platform.split(resolved)
        (1...parts.length).each do |count|
          folder = volume + parts.first(count).join('/')
          next if @disk.kind(folder) == :directory

          @disk.make_directory(folder)
          raise denied(given) unless @disk.kind(folder) == :directory && leads_nowhere_else?(folder)
        end
      rescue SystemCallError
        raise denied(given)
      end

      # A relative, missing or far too wide folder confers nothing.
      def usable_root(path)
        return nil unless path.is_a?(String) && path.valid_encoding? && !path.include?("\0")
        return nil unless @platform.absolute?(path) && @platform.objection(path).nil?

        real = @disk.realpath(@platform.normalise(path))
        return nil unless real && @disk.kind(real) == :directory

        too_wide?(real) ? nil : real
      end

      def too_wide?(real)
        return true if @platform.split(real).last.empty?

        home = @disk.home
        home &&= (@disk.realpath(home) || home)
        !home.nil? && inside?(home, real)
      end

      def denied(given)
        shown = given.to_s
        advice = workspace ? "Use a path below #{workspace}." : 'Give an absolute workspace folder in hello.'
        Failure.new('PATH_NOT_ALLOWED', "Path access denied for #{shown}: outside the allowed folders",
                    details: { 'path' => shown, 'workspace' => workspace }, hint: advice)
      end
    end
  end
end
