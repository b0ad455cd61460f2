/** The line of a call, and of what unfolds as calls do. */
export const toolRow =
  "-mx-2 flex min-h-[30px] w-[calc(100%+16px)] min-w-0 items-center gap-2 rounded px-2 text-left hover:bg-hover pointer-coarse:min-h-(--row)";
