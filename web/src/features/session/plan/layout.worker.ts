import { layout, type Shape } from "./layout";

self.onmessage = (e: MessageEvent<Shape>) => self.postMessage(layout(e.data));
