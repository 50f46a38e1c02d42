"""The settings of this process, for what a session does by them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from vcad_kernel.errors import ServiceFailure

if TYPE_CHECKING:
    from vcad_kernel.settings import Settings

__all__ = ["settings_in_force"]


def settings_in_force() -> Settings:
    """The settings of this process. Raises: ServiceFailure for those that make no sense."""
    from vcad_kernel.settings import SettingError, Settings

    try:
        return Settings.load()
    except SettingError as wrong:
        raise ServiceFailure("SETTING_INVALID", str(wrong), fix="`vcad config` shows all settings") from None
