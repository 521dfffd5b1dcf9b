"""Which folders lie on a network is read from the system's own table of mounts."""

from __future__ import annotations

from pathlib import Path

import pytest

from flowcat_jupyter.shared.mounts import network_kind

TABLE = r"""
21 1 254:0 / / rw,relatime - ext4 /dev/vda rw
30 21 0:50 / /home rw,relatime shared:1 - nfs4 server:/home rw,vers=4.2
31 30 254:1 / /home/ada/local rw - ext4 /dev/vdb rw
32 21 0:51 / /mnt/with\040space rw - cifs //server/share rw
33 21 0:52 / /mnt/ssh rw - fuse.sshfs ada@host:/ rw
34 21 0:53 / /mnt/usb rw - fuseblk /dev/sdb1 rw
35 21 0:54 / /mnt/wsl rw - 9p drvfs rw
36 21 0:55 / /mnt/over rw - nfs server:/x rw
37 36 254:2 / /mnt/over rw - xfs /dev/vdc rw
38 21 0:56 / /var/lib/lxcfs rw - fuse.lxcfs lxcfs rw
nonsense
"""


@pytest.fixture
def mounts(tmp_path: Path) -> Path:
    path = tmp_path / "mountinfo"
    path.write_text(TABLE)
    return path


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("/srv/flowcat", None),
        ("/home/ada/flowcat", "nfs4"),
        ("/home", "nfs4"),
        ("/homes/ada", None),
        ("/home/ada/local/flowcat", None),
        ("/mnt/with space/x", "cifs"),
        ("/mnt/ssh/x", "fuse.sshfs"),
        ("/mnt/usb/x", None),
        ("/mnt/wsl/c", "9p"),
        ("/mnt/over/x", None),
        ("/var/lib/lxcfs/x", None),
    ],
)
def test_the_nearest_mount_tells(mounts: Path, path: str, kind: str | None) -> None:
    assert network_kind(Path(path), mounts) == kind


def test_a_link_is_followed(mounts: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to("/home/ada")
    assert network_kind(link / "flowcat", mounts) == "nfs4"


def test_without_a_table_nothing_is_said(tmp_path: Path) -> None:
    assert network_kind(tmp_path, tmp_path / "none") is None
