# frozen_string_literal: true

require 'headless'
