# frozen_string_literal: true

# REXML is one of Ruby's bundled gems; without RubyGems the headless SketchUp starts in half the time.
require 'rubygems'
require 'rexml/parsers/streamparser'
require 'rexml/streamlistener'

module Headless
  module Importers
    # An element of an XML text, under its name without a prefix. Its text is that of all its pieces.
    class XmlElement
      attr_reader :name, :children, :text

      def initialize(name = nil, attributes = {})
        @name = name
        @attributes = attributes
        @children = []
        @text = +''
      end

      def [](attribute)
        @attributes[attribute]
      end

      # @return [XmlElement, nil] the first child at the end of the path of names
      def at(*names)
        names.reduce(self) { |element, name| element&.children&.find { |child| child.name == name } }
      end

      def all(*names)
        @children.select { |child| names.include?(child.name) }
      end

      # This element and all below it, in the order of the text.
      def each_below(&block)
        yield self
        @children.each { |child| child.each_below(&block) }
      end
    end

    # Reads XML by REXML's stream parser: its own tree takes twenty times as long over texts full of numbers.
    class XmlDocument
      include REXML::StreamListener

      class Malformed < StandardError
      end

      # @param text [String] UTF-8
      # @return [XmlElement] the root
      # @raise [Malformed] also where REXML gives up: a damaged encoding, too many entities
      def self.root(text)
        raise Malformed, 'invalid UTF-8' unless text.valid_encoding?

        document = new
        REXML::Parsers::StreamParser.new(text, document).parse
        document.root
      rescue RuntimeError, ArgumentError, EncodingError => e
        raise Malformed, e.message
      rescue NoMethodError => e
        # REXML 3.2 takes a declaration or comment that breaks off for one that it has matched
        raise unless e.backtrace_locations&.first&.path.to_s.include?('/rexml/')

        raise Malformed, 'a comment or declaration breaks off'
      end

      def initialize
        @open = [XmlElement.new]
      end

      # @return [XmlElement]
      def root
        roots = @open.first.children
        raise Malformed, "#{roots.size} root elements" unless roots.size == 1

        roots.first
      end

      def tag_start(name, attributes)
        element = XmlElement.new(plain(name), attributes.transform_keys { |key| plain(key) })
        @open.last.children << element
        @open << element
      end

      def tag_end(_name)
        @open.pop
      end

      def text(text)
        # REXML 3.2 tells of text beside the root, too
        raise Malformed, 'text outside of the root element' if @open.one? && !text.strip.empty?

        @open.last.text << text
      end
      alias cdata text

      private

      def plain(name)
        name.split(':').last
      end
    end
  end
end
