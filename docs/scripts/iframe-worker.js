/* Search where the pages are opened from a folder: browsers start no worker from a file, so it runs in a hidden frame. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      document.documentElement.append(this.frame);
      const inside = this.frame.contentWindow;
      this.ready = new Promise((resolve) => {
        inside.document.open();
        inside.document.write("<!doctype html><html><body></body></html>");
        inside.document.close();
        inside.postMessage = (data) => this.send(new MessageEvent("message", { data: structuredClone(data) }));
        inside.importScripts = (...urls) => Promise.all(urls.map((one) => this.load(inside, one)));
        this.load(inside, url).then(resolve, (error) => this.send(new ErrorEvent("error", { message: String(error) })));
      });
    }
    load(inside, url) {
      return new Promise((resolve, reject) => {
        const script = inside.document.createElement("script");
        script.src = new URL(url, location.href).href;
        script.onload = resolve;
        script.onerror = () => reject(new Error("cannot load " + url));
        inside.document.body.append(script);
      });
    }
    send(event) {
      this.dispatchEvent(event);
      const handler = this["on" + event.type];
      if (handler) handler.call(this, event);
    }
    postMessage(data) {
      const inside = this.frame.contentWindow;
      const copy = structuredClone(data);
      this.ready.then(() => inside.dispatchEvent(new inside.MessageEvent("message", { data: copy })));
    }
    terminate() {
      this.frame.remove();
    }
  };
}
