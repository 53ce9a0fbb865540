// A widget that a notebook has recorded, alive without a kernel and without trust: its record holds
// no code. The bundle that draws it is fetched when the first one is there.

const TYPE = "application/vnd.attnlib.widget+json";

export default ({ Widget }, bundle) => {
  class Recorded extends Widget {
    async renderModel({ data, metadata }) {
      this.end?.();
      const element = document.createElement("div");
      this.node.replaceChildren(element);
      try {
        const { revive } = await import(bundle);
        this.end = revive(data[TYPE], element);
      } catch (error) {
        console.warn("a widget could not be brought to life:", error);
        const still = new Image();
        still.src = `data:image/png;base64,${data["image/png"]}`;
        still.alt = metadata["image/png"]?.alt ?? "";
        this.node.replaceChildren(still);
      }
    }

    dispose() {
      this.end?.();
      super.dispose();
    }
  }

  return {
    id: "attnlib:recorded",
    rank: 45, // before the still picture's, behind the live widget's
    dataType: "json",
    rendererFactory: { safe: true, mimeTypes: [TYPE], createRenderer: () => new Recorded() },
  };
};
