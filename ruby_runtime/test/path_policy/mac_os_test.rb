# frozen_string_literal: true

require 'test_helper'
require 'path_policy/imagined_disk'

# Y7 against an imagined macOS disk.
class MacOsPathPolicyTest < Minitest::Test
  FOLD = ->(path) { path.unicode_normalize(:nfc).downcase(:fold) }
  ROOT = "/private/tmp/gr\u00fcn"

  def test_temporary_folders_are_compared_by_their_real_place
    policy = policy(disk(FOLD), '/tmp/grün')
    assert_equal ROOT, policy.workspace
    assert policy.allows?('/tmp/grün/a.dae')
    assert policy.allows?('/private/tmp/grün/a.dae')
  end

  def test_spelling_and_case_do_not_matter_on_a_usual_volume
    policy = policy(disk(FOLD), ROOT)
    assert policy.allows?("/private/tmp/gru\u0308n/a.dae")
    assert policy.allows?('/private/tmp/GRÜN/new/a.dae')
    refute policy.allows?('/private/tmp/grün2/a.dae')
  end

  def test_on_a_case_sensitive_volume_the_files_identity_decides
    sensitive = ImaginedDisk.new(folders: ['', '/private', '/private/tmp', ROOT, '/private/tmp/GRÜN'],
                                 fold: ->(path) { path.unicode_normalize(:nfc) })
    policy = policy(sensitive, ROOT)
    assert policy.allows?("#{ROOT}/a.dae")
    refute policy.allows?('/private/tmp/GRÜN/a.dae')
  end

  def test_without_identities_folded_spelling_decides
    policy = policy(disk(FOLD, identities: false), ROOT)
    assert policy.allows?('/private/tmp/GRÜN/a.dae')
    refute policy.allows?('/private/tmp/other/a.dae')
  end

  private

  def disk(fold, identities: true)
    ImaginedDisk.new(folders: ['', '/private', '/private/tmp', ROOT], links: { '/tmp' => '/private/tmp' },
                     fold: fold, identities: identities)
  end

  def policy(disk, workspace)
    Vcad::Bridge::PathPolicy.new(workspace: workspace, disk: disk,
                                 platform: Vcad::Bridge::PathPlatform.for(:platform_osx))
  end
end
