declare module "virtual:diagrams" {
  /** Where the script is that draws diagrams; it is compressed. */
  const address: string;
  export default address;
}
declare module "mermaid/dist/mermaid.core.mjs" {
  export { default } from "mermaid";
}
declare module "virtual:vega" {
  /** Where the script is that draws charts of Vega; it is compressed. */
  const address: string;
  export default address;
}
declare module "virtual:plotly" {
  /** The same for charts of Plotly. */
  const address: string;
  export default address;
}
declare module "plotly.js-cartesian-dist-min" {
  interface Plotly {
    newPlot(
      host: HTMLElement,
      figure: { data: unknown[]; layout: object; frames?: unknown[]; config: object },
    ): Promise<unknown>;
    purge(host: HTMLElement): void;
  }
  const plotly: Plotly;
  export default plotly;
}
