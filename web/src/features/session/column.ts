/**
 * The column of a session: 720 px of text in the middle, with room beside it in which
 * the thread hangs. Transcript, the line above it and the composer share its edges.
 */
export const column = "mx-auto w-full max-w-[800px] px-10 slim:pr-3.5 slim:pl-[34px]";
