# frozen_string_literal: true

module Sketchup
  # A menu that keeps what was added to it; the same name may be added twice, as in SketchUp.
  class Menu
    def initialize(title = '')
      @title = title
      @items = []
    end

    # @return [Integer] the item's id
    def add_item(item, &block)
      raise ArgumentError, 'an item needs a block or a command' unless block || item.is_a?(UI::Command)

      add(item.is_a?(UI::Command) ? item.menu_text : item, block || item.headless_block)
    end

    def add_separator
      @items << nil
      nil
    end

    # @return [Menu]
    def add_submenu(title)
      Menu.new(title).tap { |menu| add(title, menu) }
    end

    def set_validation_proc(_item, &_block)
      true
    end

    # @return [Array<String>] what a person would read, from top to bottom
    def headless_titles
      @items.map { |item| item ? item.first : '-' }
    end

    # Chooses an item as a person would.
    # @param titles [Array<String>] from this menu down to the item
    def headless_choose(*titles)
      _, target = @items.compact.find { |title, _| title == titles.first }
      raise ArgumentError, "there is no item #{titles.first}" unless target

      target.is_a?(Menu) ? target.headless_choose(*titles.drop(1)) : target.call
    end

    private

    def add(title, target)
      @items << [title, target]
      @items.size
    end
  end
end
