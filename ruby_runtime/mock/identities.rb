# frozen_string_literal: true

module Headless
  # Hands out the numbers of one model's entities and finds entities by them.
  class Identities
    # Persistent ids start elsewhere, so that mixing both up shows.
    FIRST_PERSISTENT_ID = 10_001

    attr_accessor :next_persistent_id

    def initialize
      # By entity id, which therefore starts at 1.
      @all = [nil]
      @next_persistent_id = FIRST_PERSISTENT_ID
      @by_persistent_id = {}
      @indexed = 1
    end

    # @return [Integer] the entity's id
    def enroll(entity)
      @all.push(entity)
      @all.size - 1
    end

    # @return [Integer]
    def take_persistent_id
      @next_persistent_id += 1
      @next_persistent_id - 1
    end

    # Lets go of entities that were deleted, so that only the undo stack keeps them in memory.
    def release(entities)
      entities.each { |entity| @all[entity.headless_id] = nil }
      entities.each { |entity| @by_persistent_id.delete(entity.headless_persistent_id) } if @indexed > 1
    end

    # Entities that are back after an undo.
    def recall(entities)
      entities.each { |entity| @all[entity.headless_id] = entity }
      entities.each { |entity| @by_persistent_id[entity.headless_persistent_id] = entity } if @indexed > 1
    end

    # Gives an entity another persistent id, as when a file is read.
    def renumber(entity, id)
      index
      known = entity.headless_persistent_id
      @by_persistent_id.delete(known) if @by_persistent_id[known].equal?(entity)
      @by_persistent_id[id] = entity
      @next_persistent_id = id + 1 if id >= @next_persistent_id
      entity.headless_persistent_id = id
    end

    # @return [Sketchup::Entity, nil] nil also for a deleted one
    def find(id)
      living(@all[id]) if id.positive?
    end

    # @return [Sketchup::Entity, nil]
    def find_persistent(id)
      index
      living(@by_persistent_id[id])
    end

    # @return [Sketchup::Entity, nil] the first living one with this guid
    def find_guid(guid)
      @all.find { |entity| entity&.valid? && entity.respond_to?(:guid) && entity.guid == guid }
    end

    private

    # Most entities are never asked for by their persistent id.
    def index
      while @indexed < @all.size
        entity = @all[@indexed]
        @by_persistent_id[entity.headless_persistent_id] = entity if entity
        @indexed += 1
      end
    end

    def living(entity)
      entity if entity&.valid?
    end
  end
end
