# frozen_string_literal: true

require_relative '../../calls/failure'
require_relative '../../model/millimetres'

module Vcad
  module Bridge
    module Nodes
      # Whether imported geometry has the size and place it should have: units and axes are not taken on
      # trust.
      module ImportBounds
        LEAST_TOLERANCE = 0.05 # mm
        RELATIVE_TOLERANCE = 1.0e-4

        module_function

        # @param expected [Hash, nil] `{"min", "max"}` in millimetres
        # Raises IMPORT_SCALE_MISMATCH with both boxes.
        def check(definition, expected)
          return if expected.nil?

          actual = Millimetres.bounds(definition.bounds)
          tolerance = tolerance(expected)
          return if deviation(actual, expected) <= tolerance

          raise Failure.new('IMPORT_SCALE_MISMATCH',
                            'The imported geometry has another size or place than the part',
                            details: { 'expected_bbox_mm' => expected, 'actual_bbox_mm' => actual,
                                       'tolerance_mm' => tolerance },
                            hint: 'Check the unit and up_axis of the file.')
        end

        # @return [Float] millimetres
        def tolerance(expected)
          diagonal = Math.sqrt(expected['min'].zip(expected['max']).sum { |low, high| (high - low)**2 })
          [LEAST_TOLERANCE, RELATIVE_TOLERANCE * diagonal].max
        end

        # @return [Float] the largest distance between corresponding coordinates, millimetres
        def deviation(actual, expected)
          %w[min max].flat_map do |corner|
            actual[corner].zip(expected[corner]).map do |a, b|
              (a - b).abs
            end
          end.max
        end
      end
    end
  end
end
