import { matrix } from "./matrix";

matrix("dark");
