declare module "virtual:diagrams" {
  /** Where the script is that draws diagrams; it is compressed. */
  const address: string;
  export default address;
}
declare module "mermaid/dist/mermaid.core.mjs" {
  export { default } from "mermaid";
}
