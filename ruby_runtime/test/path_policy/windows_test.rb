# frozen_string_literal: true

require 'test_helper'
require 'path_policy/imagined_disk'

# Y6 against an imagined Windows disk.
class WindowsPathPolicyTest < Minitest::Test
  FOLD = ->(path) { path.downcase(:fold) }

  def setup
    @disk = ImaginedDisk.new(
      folders: ['C:', 'C:/', 'C:/Users', 'C:/Users/Ann', 'C:/Users/Ann/Long Project Name', 'D:/', 'D:/other',
                '//server/share', '//server/share/work'],
      links: { 'C:/Users/Ann/LONGPR~1' => 'C:/Users/Ann/Long Project Name',
               'C:/Users/Ann/Long Project Name/junction' => 'D:/other' },
      fold: FOLD
    )
    @disk.home = 'C:/Users/Ann'
    @root = 'C:/Users/Ann/Long Project Name'
    @policy = policy(@root)
  end

  def test_both_slashes_and_any_case_are_understood
    assert_equal "#{@root}/a.dae", @policy.readable('C:\\users\\ANN\\long project name\\a.dae')
    assert_equal "#{@root}/sub/a.dae", @policy.readable('sub\\a.dae')
  end

  def test_short_names_stand_for_the_long_path
    assert @policy.allows?('C:\\Users\\Ann\\LONGPR~1\\a.dae')
    assert_equal @root, policy('C:/Users/Ann/LONGPR~1').workspace
  end

  def test_a_junction_leads_out
    refute @policy.allows?('junction\\a.dae')
  end

  def test_what_is_no_plain_file_is_refused
    ['CON', 'nul.txt', 'sub/COM1', 'lpt9.dae', 'a.dae:stream', 'sub/a.', 'sub/a ', 'C:a.dae', '\\\\?\\C:\\x',
     '\\\\.\\pipe\\x', '\\\\server\\share\\work\\a.dae', '/rooted/a.dae', '\\rooted', '..\\x'].each do |path|
      refute @policy.allows?(path), path
    end
  end

  def test_names_that_only_look_like_devices_are_fine
    ['console.dae', 'COM10', 'nullable/x', 'a.b.dae'].each { |path| assert @policy.allows?(path), path }
  end

  def test_a_drive_and_the_home_folder_are_too_wide
    ['C:\\', 'D:/', 'C:/Users/Ann', 'C:/Users', 'C:relative', '\\\\?\\C:\\x'].each do |root|
      assert_nil policy(root).workspace, root
    end
  end

  # The file system compares letter by letter: ß and ss are two names there.
  def test_names_that_only_fold_to_the_same_text_are_different_places
    disk = ImaginedDisk.new(folders: ['C:', 'C:/', 'C:/Straße', 'C:/Strasse'], fold: :downcase.to_proc)
    policy = Vcad::Bridge::PathPolicy.new(workspace: 'C:/Straße', disk: disk,
                                          platform: Vcad::Bridge::PathPlatform.for(:platform_win))
    assert policy.allows?('c:/STRAßE/a.dae')
    refute policy.allows?('C:/Strasse/a.dae')
  end

  def test_a_network_path_is_allowed_below_a_network_root_only
    network = policy('//server/share/work')
    assert network.allows?('\\\\SERVER\\share\\work\\a.dae')
    refute network.allows?('\\\\server\\share\\a.dae')
  end

  private

  def policy(workspace)
    Vcad::Bridge::PathPolicy.new(workspace: workspace, disk: @disk,
                                 platform: Vcad::Bridge::PathPlatform.for(:platform_win))
  end
end
