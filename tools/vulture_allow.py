"""Names that nothing in the project reads, and that are no dead code: vulture takes them for used.

Only vulture reads this file. A name that is used again, or gone, is to go from here, too.
"""
# ruff: noqa: B018, F821

# Answers and arguments of agents' tools and of the extension: what the other side reads or sends.
_.axis_distance
_.base_name
_.code_cells
_.created_at
_.definition_name
_.dependents
_.drawn_by
_.engine
_.entity_type
_.error_type
_.figures_deferred
_.fov
_.fps
_.frame_ms_p50
_.frame_ms_p95
_.full_path
_.hook_url
_.in_sketchup
_.inline_base64
_.input_lag_ms
_.isolate
_.kernel_busy
_.kernels
_.last_entity_id
_.manifold
_.markdown_cells
_.mock
_.model_epoch
_.not_seen
_.not_taken_over
_.obj_path
_.output_cut
_.output_dir
_.padding
_.parent_id
_.part_count
_.payload_inline_max
_.perspective
_.project_revision
_.protocol_minor
_.removed_entity_ids
_.replayed
_.restore_camera
_.rss_mb
_.sidecar
_.stale_dropped
_.subclasses
_.transparent
_.undo_name
_.unknown_variables
_.viewer
_.zoom_extents

# Public: what notebooks and scripts call.
_.distance_to
_.get_events
_.get_indicator_state
_.get_log
_.get_node_status
_.get_performance
_.get_project
_.get_session
_.get_state
_.get_status
_.get_tags
_.get_text_value
_.list_asks
_.push_event
_.request_confirmation
_.reset_session
_.select_list_item
_.select_tab
_.set_session
_.set_value
_.thinnest
_.to_trimesh
_.wait_for_event
_.wait_for_server
_.wait_for_value

# Read by the viewer's program of its widget's model.
_.scene_id

# Of the messages to viewers (notebook_ext/viewer/relay/messages.py): what the viewer's program reads.
_.axis_distance
_.insertable
_.media_type
_.theme
_.tone

# Verbs of the bridge (spec/bridge.md) that no part of a session asks for yet.
_.export_scene
_.get_node
_.model_info
_.observer_stop
_.place_node
_.redo
_.resolve_import
_.screenshot
_.update_node

# Attributes that a library reads once they are set: widgets, pythreejs, numpy, zipfile, shlex,
# expat, ezdxf, uvicorn, Starlette, pygls, pygments.
_.StartDoctypeDeclHandler
_.StartElementHandler
_.StartNamespaceDeclHandler
_.aliases
_.commenters
_.compress_type
_.create_system
_.disabled
_.external_attr
_.filenames
_.maxDistance
_.mimetypes
_.playing
_.position_encodings
_.quaternion
_.redirect_slashes
_.should_exit
_.true_color
_.uniforms
_.whitespace_split
_.writeable

# Options of OpenCASCADE, read by it.
_.AngleInterior
_.ArgumentTypeMode
_.ContinuityMode
_.ControlSurfaceDeflection
_.CurveOnSurfaceMode
_.ControlSurfaceDeflection
_.Deflection
_.DeflectionInterior
_.InParallel
_.MergeEdgeMode
_.MergeVertexMode
_.MeshAlgo
_.MinSize
_.RebuildFaceMode
_.SelfInterMode
_.SmallEdgeMode
_.TangentMode

# Methods that a library calls: asyncio, IPython, io, lark, fontTools, MCP, prometheus,
# prompt_toolkit, pygments, http.client.
_._closePath
_._moveTo
_._qCurveToOne
_.bool_literal
_.clear_output
_.collect
_.connection_lost
_.connection_made
_.data_received
_.exc
_.get_completions
_.get_tokens_unprocessed
_.keyword_literal
_.list_form
_.list_tools
_.makefile
_.map_form
_.quasi
_.readinto
_.set_form
_.string_literal
_.tuple_form
_.vector_form

# Numbers and codes of a protocol, which stay what they are.
_.ARTIFACT_READ_FAILED
_.DECODE
_.DEPENDENCY_CYCLE
_.ENCODE
_.HELLO_REQUIRED
_.IMPORT_SCALE_MISMATCH
_.INVALID_HELLO
_.NODE_AMBIGUOUS
_.NONE
_.NO_TRANSFORMATION
_.QUEUE_FULL
_.REPLAY
_.RESPONSE_DECODE
_.SCENE_ENCODE
_.STATE_RECONCILE_REQUIRED
_.TRANSPORT
_.VIEWER_NOT_CONNECTED

# Traits of widgets, which browsers read.
_.readout_format

# Members of the IR's JSON and of imports' wire form, walked by their names.
_.arc_segments
_.binding_name
_.import_id
_.path_segments

# Settings that are documented, for what watches SketchUp and for the viewer's relay.
_.observer_max_queue
_.observer_poll_ms
_.trigger_coalesce_ms
_.viewer_relay_port

# State that has no other window; looked at by tests.
_.from_environment
_.has_pages
_.is_serving
_.spoken_for

# What pythreejs reads.
_.enableZoom

# What the standard library reads: the value of a member of an enumeration.
_._value_

# What fontTools calls: for a cubic stroke, and for the data of a path.
_._curveToOne
_.arcTo
_.closePath
_.curveTo
_.endPath
_.lineTo
_.moveTo
_.qCurveTo
