# frozen_string_literal: true

require 'strscan'

module Headless
  module Importers
    # An element of an XML text. Text of elements with children is not kept.
    class XmlElement
      attr_reader :name, :attributes, :children
      attr_accessor :text

      def initialize(name, attributes)
        @name = name
        @attributes = attributes
        @children = []
        @text = ''
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

    # Reads XML well enough for scenes, and fast: numbers in long texts are left alone. Tags have to
    # match, entities to be known.
    class XmlDocument
      class Malformed < StandardError
      end

      ENTITIES = { 'amp' => '&', 'lt' => '<', 'gt' => '>', 'quot' => '"', 'apos' => "'" }.freeze
      NAME = %r{[^\s<>/=&;"']+}
      ATTRIBUTE = /\s+(#{NAME})\s*=\s*(?:"([^<"]*)"|'([^<']*)')/
      OTHER = /<\?.*?\?>|<!--.*?-->|<!DOCTYPE[^\[>]*(?:\[.*?\])?[^>]*>/m

      # @param text [String] UTF-8
      # @return [XmlElement] the root
      # @raise [Malformed]
      def self.root(text)
        new(text).root
      end

      def initialize(text)
        raise Malformed, 'invalid UTF-8' unless text.valid_encoding?

        # Bytes, since finding the end of a long text by characters takes long.
        @text = text.delete_prefix("\uFEFF").b
        @scanner = StringScanner.new(@text)
        @open = []
      end

      def root
        read_piece until @scanner.eos?
        raise Malformed, 'no root element' if @root.nil?
        raise Malformed, "<#{@open.last.name}> is not closed" unless @open.empty?

        @root
      end

      private

      def read_piece
        from = @scanner.pos
        upto = @text.index('<', from) || @text.bytesize
        if upto > from
          @scanner.pos = upto
          add_text(@text.byteslice(from, upto - from))
        elsif @scanner.skip(OTHER)
          nil
        elsif @scanner.scan(/<!\[CDATA\[(.*?)\]\]>/m)
          @open.last.text += @scanner[1].force_encoding('UTF-8') unless @open.empty?
        elsif @scanner.scan(%r{</(#{NAME})\s*>})
          close(@scanner[1])
        else
          open_element
        end
      end

      def add_text(text)
        if @open.empty?
          raise Malformed, 'text outside the root element' unless text.strip.empty?
        else
          element = @open.last
          text = decoded(text)
          element.text = element.text.empty? ? text : element.text + text
        end
      end

      def open_element
        raise Malformed, "no tag at byte #{@scanner.pos}" unless @scanner.scan(/<(#{NAME})/)
        raise Malformed, 'more than one root element' if @root && @open.empty?

        element = XmlElement.new(plain(@scanner[1]), read_attributes)
        @root ||= element
        @open.last&.children&.push(element)
        @open << element unless @scanner.skip(%r{\s*/>})
        return if @open.last != element || @scanner.skip(/\s*>/)

        raise Malformed, "<#{element.name}> does not end"
      end

      def read_attributes
        attributes = {}
        attributes[plain(@scanner[1])] = decoded(@scanner[2] || @scanner[3]) while @scanner.scan(ATTRIBUTE)
        attributes
      end

      def close(name)
        element = @open.pop
        raise Malformed, "</#{name}> closes nothing" if element.nil? || element.name != plain(name)
      end

      def plain(name)
        name.split(':').last.force_encoding('UTF-8')
      end

      def decoded(text)
        text = text.dup.force_encoding('UTF-8')
        return text unless text.include?('&')

        text.gsub(/&(?:#x(\h+)|#(\d+)|(\w*));?/) do |whole|
          if Regexp.last_match(1) then [Regexp.last_match(1).hex].pack('U')
          elsif Regexp.last_match(2) then [Regexp.last_match(2).to_i].pack('U')
          else
            ENTITIES[Regexp.last_match(3)] || raise(Malformed, "unknown entity #{whole}")
          end
        end
      end
    end
  end
end
