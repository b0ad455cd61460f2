import DOMPurify from "dompurify";
import { Marked, type RendererObject, type Tokens } from "marked";
import { escapeHtml } from "./markdown_escape";
import { emphasisMend } from "./markdown_korean";
import { blockMath, inlineMath } from "./markdown_math";

/** HTML that went through the sanitiser; a TrustedHTML where the browser has such. */
export type CleanHtml = TrustedHTML | string;

/*
 * Text of agents is hostile until shown otherwise. Raw HTML in it is shown as the
 * text it is; links lead to http(s), mail, or this server's reports and sessions;
 * images come from this server or from the text itself, never from elsewhere.
 * What marked makes of the rest passes DOMPurify with a short list of elements.
 */
const pageLink = /^(?:https?:\/\/|mailto:)/i;
const ownLink = /^\/(?:reports|s)\/[\w./~%-]*(?:[?#][\w=&%.-]*)?$/;
const ownImage =
  /^(?:\/api\/v1\/sessions\/[\w-]+\/blobs\/[\w.-]+|data:image\/(?:png|jpeg|gif|webp|avif);base64,[a-z0-9+/=]+)$/i;

const renderer: RendererObject = {
  html: ({ text }: Tokens.HTML | Tokens.Tag) => (/^<br\s*\/?>$/i.test(text.trim()) ? "<br>" : escapeHtml(text)),
  link({ href, title, tokens }) {
    const inner = this.parser.parseInline(tokens);
    const url = safeLink(href);
    if (!url) return inner;
    return `<a href="${escapeHtml(url)}"${title ? ` title="${escapeHtml(title)}"` : ""} target="_blank" rel="noopener noreferrer">${inner}</a>`;
  },
  image({ href, text, title }) {
    const alt = escapeHtml(text || title || "");
    if (ownImage.test(href)) return `<img src="${escapeHtml(href)}" alt="${alt}" loading="lazy">`;
    const url = safeLink(href);
    const words = alt || escapeHtml(href.slice(0, 200));
    return url ? `<a href="${escapeHtml(url)}" target="_blank" rel="noopener noreferrer">${words}</a>` : words;
  },
  // Headings of a text stand below those of the page.
  heading({ depth, tokens }) {
    const level = Math.min(6, depth + 3);
    return `<h${level}>${this.parser.parseInline(tokens)}</h${level}>`;
  },
  code: ({ text }) => `<pre tabindex="0"><code>${escapeHtml(text)}</code></pre>`,
  checkbox: ({ checked }) => (checked ? "☑ " : "☐ "),
  table(token) {
    const row = (cells: Tokens.TableCell[], tag: "th" | "td") =>
      `<tr>${cells.map((c) => `<${tag}${c.align ? ` align="${c.align}"` : ""}>${this.parser.parseInline(c.tokens)}</${tag}>`).join("")}</tr>`;
    const body = token.rows.map((cells) => row(cells, "td")).join("");
    return `<div tabindex="0"><table><thead>${row(token.header, "th")}</thead><tbody>${body}</tbody></table></div>`;
  },
};

export const marked = new Marked({
  gfm: true,
  breaks: false,
  renderer,
  extensions: [emphasisMend, blockMath, inlineMath],
});

const allowed = {
  ALLOWED_TAGS: [
    "p",
    "br",
    "hr",
    "h4",
    "h5",
    "h6",
    "strong",
    "em",
    "del",
    "code",
    "pre",
    "blockquote",
    "ul",
    "ol",
    "li",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "a",
    "img",
    "div",
  ],
  ALLOWED_ATTR: ["href", "title", "target", "rel", "src", "alt", "loading", "align", "start", "tabindex", "class"],
  // These hold no addresses; without this their values would have to look like one.
  ADD_URI_SAFE_ATTR: ["target", "rel", "loading", "align", "start", "tabindex", "class"],
  ALLOW_DATA_ATTR: false,
  ALLOW_ARIA_ATTR: false,
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/(?:reports|s)\/|\/api\/v1\/sessions\/|data:image\/)/i,
};

const purify = DOMPurify(window);
// The second wall behind the renderer: no image from elsewhere, no link that runs.
purify.addHook("uponSanitizeAttribute", (node, data) => {
  if (data.attrName === "src" && !ownImage.test(data.attrValue)) data.keepAttr = false;
  if (data.attrName === "href" && !safeLink(data.attrValue)) data.keepAttr = false;
  if (data.attrName === "class" && !(node.nodeName === "CODE" && /^math(-block)?$/.test(data.attrValue)))
    data.keepAttr = false;
  if (data.attrName === "target" && node.nodeName !== "A") data.keepAttr = false;
});

/** Makes HTML safe to show. */
export function clean(html: string): CleanHtml {
  return purify.sanitize(html, { ...allowed, RETURN_TRUSTED_TYPE: true }) as unknown as CleanHtml;
}

/** The address if a person may be led there, else null. */
export function safeLink(href: string): string | null {
  const url = href.trim();
  if (ownLink.test(url) && !url.includes("..")) return url;
  if (!pageLink.test(url)) return null;
  try {
    return new URL(url).href;
  } catch {
    return null;
  }
}
