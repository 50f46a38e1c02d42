# frozen_string_literal: true

require 'test_helper'

class CameraTest < BridgeTest
  def test_a_camera_is_made_of_points_and_arrays
    camera = Sketchup::Camera.new([0, -10, 0], Geom::Point3d.new(0, 0, 0), Z_AXIS)

    assert_equal Geom::Point3d.new(0, -10, 0), camera.eye
    assert_equal Y_AXIS, camera.direction
    assert_equal X_AXIS, camera.xaxis
    assert_equal Z_AXIS, camera.yaxis
    assert_predicate camera, :perspective?
    assert_equal 35.0, camera.fov
    refute_predicate camera, :is_2d?
  end

  def test_up_along_the_view_is_refused
    assert_raises(ArgumentError) { Sketchup::Camera.new([0, 0, 10], ORIGIN, Z_AXIS) }
    assert_raises(ArgumentError) { Sketchup::Camera.new(ORIGIN, ORIGIN, Z_AXIS) }
  end

  def test_a_refused_change_leaves_the_camera
    camera = Sketchup::Camera.new([0, -10, 0], ORIGIN, Z_AXIS)

    assert_raises(ArgumentError) { camera.set([0, 0, 9], ORIGIN, Z_AXIS) }
    assert_equal Geom::Point3d.new(0, -10, 0), camera.eye
  end

  def test_height_belongs_to_parallel_and_angle_to_perspective_views
    camera = Sketchup::Camera.new([0, -10, 0], ORIGIN, Z_AXIS, false)
    camera.height = 5

    assert_instance_of Length, camera.height
    assert_raises(RuntimeError) { camera.fov }
    camera.perspective = true

    assert_instance_of Float, camera.fov
    assert_raises(RuntimeError) { camera.height }
    assert_raises(ArgumentError) { camera.fov = 0 }
  end

  def test_the_view_takes_over_the_values_of_a_camera
    view = Sketchup.active_model.active_view
    camera = Sketchup::Camera.new([0, -10, 0], ORIGIN, Z_AXIS, true, 50)
    view.camera = camera
    camera.fov = 20

    assert_equal 50.0, view.camera.fov
    view.camera = [camera, 2.0]

    assert_equal 20.0, view.camera.fov
    assert_raises(ArgumentError) { view.camera = 'top' }
  end

  def test_zooming_to_something_centres_it_and_keeps_the_direction
    model = Sketchup.active_model
    edges = model.entities.add_edges([10, 10, 10], [14, 12, 10])
    view = model.active_view
    direction = view.camera.direction
    view.zoom(edges)

    assert_equal Geom::Point3d.new(12, 11, 10), view.camera.target
    assert view.camera.direction.samedirection?(direction)
    assert_equal Geom::Point3d.new(*view.center, 0), view.screen_coords([12, 11, 10])
  end

  def test_zooming_by_a_factor_comes_nearer
    view = Sketchup.active_model.active_view
    before = view.camera.eye.distance(view.camera.target).to_f
    view.zoom(2)

    assert_in_delta before / 2, view.camera.eye.distance(view.camera.target).to_f, 1e-9
  end

  def test_everything_fits_after_zooming_to_the_extents
    model = Sketchup.active_model
    model.entities.add_edges([0, 0, 0], [40, 3, 1])
    view = model.active_view
    [true, false].each do |perspective|
      view.camera = Sketchup::Camera.new([9, -20, 14], ORIGIN, Z_AXIS, perspective)
      view.zoom_extents

      [[0, 0, 0], [40, 3, 1]].each do |point|
        x, y, = view.screen_coords(point).to_a.map(&:to_f)
        assert x.between?(0, view.vpwidth) && y.between?(0, view.vpheight), point.inspect
      end
    end
  end

  def test_no_other_thread_may_use_the_view
    view = Sketchup.active_model.active_view

    assert_raises(ThreadError) do
      Thread.new do
        Thread.current.report_on_exception = false
        view.zoom_extents
      end.join
    end
  end

  def test_observers_hear_of_a_new_camera
    observer = Class.new do
      attr_reader :views

      def onViewChanged(view)
        (@views ||= []) << view
      end
    end.new
    view = Sketchup.active_model.active_view
    view.add_observer(observer)
    view.camera = Sketchup::Camera.new

    assert_equal [view], observer.views
  end
end
