# frozen_string_literal: true

# A file system that only exists in a test: paths with forward slashes, compared as the system would.
class ImaginedDisk
  attr_reader :made
  attr_accessor :home

  # @param folders [Array<String>]
  # @param links [Hash{String=>String}] link to real folder
  # @param fold [Proc] how this system compares spellings
  # @param identities [Boolean] whether the platform has file identities
  def initialize(folders: [], files: [], links: {}, fold: ->(path) { path }, identities: true)
    @fold = fold
    @folders = folders.to_h { |path| [key(path), path] }
    @files = files.to_h { |path| [key(path), path] }
    @links = links.transform_keys { |path| key(path) }
    @identities = identities
    @made = []
  end

  def kind(path)
    return :link if @links.key?(key(path))

    real = realpath(path)
    return :missing unless real

    @folders.key?(key(real)) ? :directory : :file
  end

  def realpath(path)
    target = follow(path)
    @folders[key(target)] || @files[key(target)]
  end

  def identity(path)
    real = realpath(path)
    real && @identities ? [1, key(real).hash] : nil
  end

  def make_directory(path)
    @made << path
    @folders[key(path)] = path
  end

  private

  def follow(path)
    parts = path.split('/')
    parts.length.downto(1) do |count|
      head = parts.first(count).join('/')
      next unless @links.key?(key(head))

      return follow([@links[key(head)], *parts.drop(count)].join('/'))
    end
    path
  end

  def key(path)
    @fold.call(path.chomp('/'))
  end
end
