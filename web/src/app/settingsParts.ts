import { useMemo } from "react";
import { useWords } from "@/i18n";
import { useMe } from "./account";
import { appWords } from "./words";

const forAll = ["permissions", "notifications", "appearance", "devices"] as const;
const forAdmins = ["models", "tools", "people", "storage", "secrets", "all"] as const;

/** The parts of the settings that this person has, for the palette. */
export function useSettingsParts(): { path: string; name: string }[] {
  const t = useWords(appWords).settingsParts;
  const admin = useMe()?.role === "admin";
  return useMemo(
    () => [...forAll, ...(admin ? forAdmins : [])].map((id) => ({ path: `/settings/${id}`, name: t[id] })),
    [t, admin],
  );
}
