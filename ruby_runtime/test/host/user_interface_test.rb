# frozen_string_literal: true

require 'test_helper'

class UserInterfaceTest < Minitest::Test
  def setup
    Headless.reset
  end

  def test_a_message_box_takes_the_scripted_answer
    Headless.host.answers.script([IDYES])
    assert_equal IDYES, UI.messagebox('Really?', MB_YESNO)
    assert_equal [['messagebox', 'Really?']], Headless.host.answers.asked
  end

  def test_a_dialog_that_would_wait_for_a_person_raises
    assert_raises(Headless::MockModalDialog) { UI.messagebox('Stop') }
    assert_raises(Headless::MockModalDialog) { UI.inputbox(['Name']) }
    assert_raises(Headless::MockModalDialog) { UI.openpanel }
    assert_raises(Headless::MockModalDialog) { UI.savepanel }
  end

  def test_the_same_submenu_may_be_added_twice
    menu = Sketchup::Menu.new
    chosen = []
    menu.add_submenu('Bridge').add_item('Start') { chosen << :first }
    menu.add_submenu('Bridge')
    assert_equal %w[Bridge Bridge], menu.headless_titles
    menu.headless_choose('Bridge', 'Start')
    assert_equal [:first], chosen
  end

  def test_a_command_can_be_chosen_from_a_menu
    menu = Sketchup::Menu.new
    chosen = false
    menu.add_item(UI::Command.new('Go') { chosen = true })
    menu.headless_choose('Go')
    assert chosen
  end

  def test_a_dialog_calls_back_as_its_page_would
    heard = nil
    dialog = UI::HtmlDialog.new(dialog_title: 'Log')
    dialog.add_action_callback('say') { |_, text| heard = text }
    dialog.show
    dialog.headless_call('say', 'hello')
    assert_equal 'hello', heard
    assert_predicate dialog, :visible?
  end

  def test_the_console_takes_text_and_gives_its_size
    assert_equal 3, SKETCHUP_CONSOLE.write('abc')
    assert_includes SKETCHUP_CONSOLE.headless_text, 'abc'
  end

  def test_a_file_is_loaded_once_said
    refute file_loaded?('some/File.rb')
    file_loaded('some/File.rb')
    assert file_loaded?('some/file.rb')
  end

  def test_defaults_are_remembered_and_forgotten_at_reset
    Sketchup.write_default('vcad', 'allow', true)
    assert_equal true, Sketchup.read_default('vcad', 'allow')
    Headless.reset
    assert_nil Sketchup.read_default('vcad', 'allow')
    assert_equal 7, Sketchup.read_default('vcad', 'other', 7)
  end
end
