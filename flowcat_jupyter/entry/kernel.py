"""The kernel "Python 3 (Flowcat)": an IPython kernel with Flowcat loaded."""

from __future__ import annotations

from ipykernel.kernelapp import IPKernelApp
from traitlets import default


class FlowcatKernelApp(IPKernelApp):
    """IPython's kernel, loading ``flowcat_jupyter`` as ``%load_ext`` would."""

    @default("default_extensions")
    def _with_flowcat(self) -> list[str]:
        # storemagic is IPython's own default, which this replaces.
        return ["storemagic", "flowcat_jupyter"]


if __name__ == "__main__":
    FlowcatKernelApp.launch_instance()
